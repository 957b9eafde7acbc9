-- Which model made a vector is the program's word, and without samples of it the planner read all vectors of a team.

CREATE OR REPLACE FUNCTION holdfast.sample_nothing() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  one record;
BEGIN
  FOR one IN
    SELECT c.relname AS whole, a.attname AS part, told.is_sampled FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    CROSS JOIN LATERAL (SELECT a.atttypid IN ('int'::regtype, 'bigint'::regtype)
      AND a.attname = ANY ('{organisation,team,person,id,change,memory,passage,source}')
      OR a.attname = 'model') AS told(is_sampled)
    WHERE c.relnamespace = 'holdfast'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
      AND (coalesce(a.attstattarget, -1) = 0) = told.is_sampled
    ORDER BY c.oid, a.attnum
  LOOP
    EXECUTE format('ALTER TABLE ONLY holdfast.%I ALTER COLUMN %I SET STATISTICS %s',
      one.whole, one.part, CASE WHEN one.is_sampled THEN -1 ELSE 0 END);
  END LOOP;
END $$;

SELECT holdfast.sample_nothing();
ANALYZE holdfast.meaning, holdfast.passage_meaning;
