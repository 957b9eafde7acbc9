-- What raw SQL of a writer could still do to a withdrawal, and no longer can.

-- A writer could delete the row by which clients hear of a withdrawal, or add one with a number so high that they would
-- ask for nothing after it. Now the trigger alone writes there, as the operator; whether the memory may be changed, the
-- policies have said before. 0014 took from everybody the right to set this trigger on a table of their own.
ALTER FUNCTION holdfast.note_change() SECURITY DEFINER SET search_path = pg_catalog, pg_temp;
REVOKE INSERT, UPDATE, DELETE ON holdfast.gone FROM holdfast_app;

-- Nor does a feed leap to where its numbers end; the operator may set one.
CREATE OR REPLACE FUNCTION holdfast.only_forward() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_user = (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = 'holdfast.feed'::regclass) THEN
    RETURN NEW;
  END IF;
  RAISE insufficient_privilege USING MESSAGE = 'a feed only goes forward, one by one';
END $$;
DROP TRIGGER only_forward ON holdfast.feed;
CREATE TRIGGER only_forward BEFORE UPDATE ON holdfast.feed FOR EACH ROW
  WHEN (NEW.change <> OLD.change + 1 OR (NEW.organisation, NEW.team) <> (OLD.organisation, OLD.team))
  EXECUTE FUNCTION holdfast.only_forward();

-- A place that no laptop could give a memory. What is there already stays.
ALTER TABLE holdfast.memory ADD CONSTRAINT has_place CHECK ((kind = 'global') = (owner = '')) NOT VALID;

CREATE OR REPLACE FUNCTION holdfast.administered(named text) RETURNS int
  STABLE LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  found_team int;
  of_all int;
BEGIN
  SELECT id INTO found_team FROM holdfast.team WHERE organisation = holdfast.my_organisation() AND name = named;
  SELECT id INTO of_all FROM holdfast.team WHERE organisation = holdfast.my_organisation() AND name = 'everyone';
  IF found_team IS NULL OR NOT ('{}'::int[] || found_team || of_all) && holdfast.my_teams('admin') THEN
    PERFORM holdfast.refuse('HF403', format('you are not an admin of %s', named));
  END IF;
  RETURN found_team;
END $$;
