-- The planner keeps samples of columns, and its estimates tell of them: whoever asks how many titles of others come before
-- a word can go on until they have one whole. So nothing is sampled but which organisation and team a row is of.

CREATE FUNCTION holdfast.sample_nothing() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  one record;
BEGIN
  FOR one IN
    SELECT c.relname AS whole, a.attname AS part FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relnamespace = 'holdfast'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
      AND a.attname NOT IN ('organisation', 'team') AND coalesce(a.attstattarget, -1) <> 0
    ORDER BY c.oid, a.attnum
  LOOP
    EXECUTE format('ALTER TABLE ONLY holdfast.%I ALTER COLUMN %I SET STATISTICS 0', one.whole, one.part);
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION holdfast.sample_nothing() FROM PUBLIC;

-- Of what was sampled before. Before PostgreSQL 18 only a new type takes that away, though it is the same one.
DO $$
DECLARE
  one record;
BEGIN
  FOR one IN
    SELECT c.relname AS whole, a.attname AS part, format_type(a.atttypid, a.atttypmod) AS kind, c.relispartition AS is_part
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relnamespace = 'holdfast'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
      AND a.attname NOT IN ('organisation', 'team')
    ORDER BY c.oid, a.attnum
  LOOP
    IF current_setting('server_version_num')::int >= 180000 THEN
      PERFORM pg_clear_attribute_stats('holdfast', one.whole, one.part, false);
      PERFORM pg_clear_attribute_stats('holdfast', one.whole, one.part, true);
    ELSIF NOT one.is_part THEN
      BEGIN
        EXECUTE format('ALTER TABLE holdfast.%I ALTER COLUMN %I TYPE %s', one.whole, one.part, one.kind);
      EXCEPTION WHEN feature_not_supported THEN NULL;
      END;
    END IF;
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION holdfast.add_partitions() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  one record;
BEGIN
  FOR one IN
    SELECT c.relname AS whole, o.id AS organisation, format('%s_%s', c.relname, o.id) AS part
    FROM pg_class c CROSS JOIN holdfast.organisation o
    WHERE c.relnamespace = 'holdfast'::regnamespace AND c.relkind = 'p'
      AND to_regclass(format('holdfast.%I', format('%s_%s', c.relname, o.id))) IS NULL
    ORDER BY c.oid
  LOOP
    EXECUTE format('CREATE TABLE holdfast.%I PARTITION OF holdfast.%I FOR VALUES IN (%s)',
      one.part, one.whole, one.organisation);
    EXECUTE format('ALTER TABLE holdfast.%I ENABLE ROW LEVEL SECURITY', one.part);
    EXECUTE format('ALTER TABLE holdfast.%I FORCE ROW LEVEL SECURITY', one.part);
  END LOOP;
  PERFORM holdfast.sample_nothing();
END $$;
