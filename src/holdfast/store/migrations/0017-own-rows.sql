-- What raw SQL of a writer could still do to other teams of the organisation, and no longer can.

-- A number that is yet to be given stood in the way of whoever was given it: only the sequence says numbers now.
DO $$
DECLARE
  which text;
BEGIN
  FOREACH which IN ARRAY '{memory,passage,passage_source}'::text[] LOOP
    EXECUTE format('REVOKE INSERT ON holdfast.%I FROM holdfast_app', which);
    EXECUTE (SELECT format('GRANT INSERT (%s) ON holdfast.%I TO holdfast_app',
        string_agg(quote_ident(attname), ', ' ORDER BY attnum), which)
      FROM pg_attribute WHERE attrelid = format('holdfast.%I', which)::regclass AND attnum > 0 AND NOT attisdropped
        AND attname NOT IN ('id', 'change', 'written'));
  END LOOP;
END $$;

-- A vector of another team's passage stood in the place of that team's own. A foreign key looks past every policy; this
-- looks as whoever puts the row.
CREATE FUNCTION holdfast.same_team() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME LIKE 'passage_meaning%' THEN
    PERFORM 1 FROM holdfast.passage p
      WHERE p.organisation = NEW.organisation AND p.team = NEW.team AND p.id = NEW.passage;
  ELSE
    PERFORM 1 FROM holdfast.passage_source s
      WHERE s.organisation = NEW.organisation AND s.team = NEW.team AND s.id = NEW.source;
  END IF;
  IF NOT FOUND THEN
    RAISE insufficient_privilege USING MESSAGE = 'what was said in a session is of its own team';
  END IF;
  RETURN NEW;
END $$;
REVOKE ALL ON FUNCTION holdfast.same_team() FROM PUBLIC;
CREATE TRIGGER same_team BEFORE INSERT OR UPDATE ON holdfast.passage
  FOR EACH ROW EXECUTE FUNCTION holdfast.same_team();
CREATE TRIGGER same_team BEFORE INSERT ON holdfast.passage_meaning
  FOR EACH ROW EXECUTE FUNCTION holdfast.same_team();
