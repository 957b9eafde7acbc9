-- What raw SQL of the application could still do to others, and no longer can.

-- A function of a trigger that runs as the operator believes what the row says: on a temporary table of one's own it
-- ended proposals of another organisation. Triggers that are there go on without this right.
DO $$
DECLARE
  one regprocedure;
BEGIN
  FOR one IN SELECT p.oid FROM pg_proc p WHERE p.pronamespace = 'holdfast'::regnamespace
    AND p.prorettype = 'trigger'::regtype
  LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', one);
  END LOOP;
END $$;

-- When something was done, the database says; and nobody tells of a team that they are not in.
REVOKE INSERT ON holdfast.audit FROM holdfast_app;
GRANT INSERT (organisation, person, act, team, kind, owner, key, before, after, reason) ON holdfast.audit TO holdfast_app;
ALTER POLICY added ON holdfast.audit
  WITH CHECK (organisation = (SELECT holdfast.my_organisation()) AND person = current_setting('holdfast.person', true)
    AND team = ANY ((SELECT holdfast.my_teams('reader'))::int[]));

-- A vector that is put stays with its memory; it could be moved to one of another team, in place of that one's own.
REVOKE UPDATE ON holdfast.meaning, holdfast.passage_meaning FROM holdfast_app;

-- A feed that goes back would hide the changes that follow from every client.
CREATE FUNCTION holdfast.only_forward() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE insufficient_privilege USING MESSAGE = 'a feed only goes forward';
END $$;
REVOKE ALL ON FUNCTION holdfast.only_forward() FROM PUBLIC;
CREATE TRIGGER only_forward BEFORE UPDATE ON holdfast.feed FOR EACH ROW
  WHEN (NEW.change < OLD.change OR (NEW.organisation, NEW.team) <> (OLD.organisation, OLD.team))
  EXECUTE FUNCTION holdfast.only_forward();
