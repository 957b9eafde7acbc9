-- Without samples of the numbers by which rows find each other the planner looked through all members and all memories
-- of a team. A number tells nothing of what the row says.

CREATE OR REPLACE FUNCTION holdfast.sample_nothing() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  one record;
BEGIN
  FOR one IN
    SELECT c.relname AS whole, a.attname AS part, told.is_number FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    CROSS JOIN LATERAL (SELECT a.atttypid IN ('int'::regtype, 'bigint'::regtype)
      AND a.attname = ANY ('{organisation,team,person,id,change,memory,passage,source}')) AS told(is_number)
    WHERE c.relnamespace = 'holdfast'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
      AND (coalesce(a.attstattarget, -1) = 0) = told.is_number
    ORDER BY c.oid, a.attnum
  LOOP
    EXECUTE format('ALTER TABLE ONLY holdfast.%I ALTER COLUMN %I SET STATISTICS %s',
      one.whole, one.part, CASE WHEN one.is_number THEN -1 ELSE 0 END);
  END LOOP;
END $$;

DO $$
DECLARE
  one name;
BEGIN
  PERFORM holdfast.sample_nothing();
  FOR one IN SELECT relname FROM pg_class WHERE relnamespace = 'holdfast'::regnamespace AND relkind IN ('r', 'p')
    AND NOT relispartition
  LOOP
    EXECUTE format('ANALYZE holdfast.%I', one);
  END LOOP;
END $$;
