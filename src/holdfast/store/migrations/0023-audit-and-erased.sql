-- What was erased stays erased, tombstones stay, and the audit says what happened: also against raw SQL of the application.

-- A tombstone goes only where somebody says again, in their own name and in the same place, what it is about.
REVOKE UPDATE ON holdfast.forgotten FROM holdfast_app;
ALTER POLICY removed ON holdfast.forgotten USING (organisation = (SELECT holdfast.my_organisation())
  AND team = ANY ((SELECT holdfast.my_teams('writer'))::int[])
  AND EXISTS (SELECT 1 FROM holdfast.memory m
    WHERE (m.organisation, m.team, m.kind, m.owner)
      = (forgotten.organisation, forgotten.team, forgotten.kind, forgotten.owner) AND m.trust = 'user'
    AND forgotten.digest = CASE forgotten.what WHEN 'said' THEN m.said
      ELSE left(encode(sha256('\x6b657900'::bytea || convert_to(m.key, 'UTF8')), 'hex'), 32) END));

-- Rows of `erased.jsonl`, as a home keeps them: keyed digests of what an operator erased, never a word of it.
CREATE TABLE holdfast.erased (
  organisation int NOT NULL REFERENCES holdfast.organisation ON DELETE CASCADE,
  noted text NOT NULL,
  PRIMARY KEY (organisation, noted)
);
SELECT holdfast.protect('erased', 'SELECT');
CREATE POLICY seen ON holdfast.erased FOR SELECT TO holdfast_app
  USING (organisation = (SELECT holdfast.my_organisation()));

-- Rows of the audit come of triggers and of functions that see that it happened.
REVOKE INSERT ON holdfast.audit FROM holdfast_app;
DROP POLICY added ON holdfast.audit;
ALTER FUNCTION holdfast.note_proposal() SECURITY DEFINER SET search_path = pg_catalog, pg_temp;
REVOKE ALL ON FUNCTION holdfast.note_act(int, text, text, text, text, text, text) FROM PUBLIC;

-- Where no person did it, the role did that signed in to the database. No person's name has a colon.
CREATE FUNCTION holdfast.name_operator() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.person := 'operator:' || session_user;
  RETURN NEW;
END $$;
REVOKE ALL ON FUNCTION holdfast.name_operator() FROM PUBLIC;
CREATE TRIGGER name_operator BEFORE INSERT ON holdfast.audit FOR EACH ROW WHEN (NEW.person = '')
  EXECUTE FUNCTION holdfast.name_operator();

-- What an operator sets up. What a person does by a function, that function notes.
CREATE FUNCTION holdfast.note_operator() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  old_row jsonb := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END;
  one jsonb := CASE TG_OP WHEN 'DELETE' THEN old_row ELSE to_jsonb(NEW) END;
  here int := one ->> 'organisation';
  done text := CASE TG_TABLE_NAME WHEN 'member' THEN 'member' WHEN 'group_role' THEN 'group' WHEN 'person' THEN 'account'
    WHEN 'token' THEN CASE TG_OP WHEN 'DELETE' THEN 'end-tokens' ELSE 'token' END
    ELSE CASE TG_OP WHEN 'INSERT' THEN 'team' ELSE 'rule' END END;
  whom text := coalesce(one ->> 'person_name', (SELECT p.name FROM holdfast.person p WHERE p.organisation = here
    AND p.id = (one ->> 'person')::int), one ->> 'person');
BEGIN
  IF coalesce(current_setting('holdfast.person', true), '') <> '' OR old_row = one AND TG_OP = 'UPDATE'
    OR to_regclass('holdfast.audit_' || here) IS NULL
    OR NOT pg_has_role(session_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'MEMBER')
  THEN
    RETURN NULL;
  END IF;
  INSERT INTO holdfast.audit (organisation, person, act, team, kind, owner, key) VALUES (here, '', done,
    coalesce((one ->> CASE TG_TABLE_NAME WHEN 'team' THEN 'id' ELSE 'team' END)::int,
      (SELECT id FROM holdfast.team WHERE organisation = here AND name = 'everyone'), 0), '', '',
    CASE done WHEN 'account' THEN one ->> 'name' WHEN 'team' THEN one ->> 'name'
      WHEN 'rule' THEN (one ->> 'rule') || CASE WHEN (one ->> 'own_review')::boolean THEN '-own' ELSE '' END
      WHEN 'token' THEN whom || ':' || (one ->> 'name') WHEN 'end-tokens' THEN whom || ':' || (one ->> 'name')
      ELSE CASE done WHEN 'group' THEN one ->> 'name' ELSE whom END || ':'
        || CASE TG_OP WHEN 'DELETE' THEN '' ELSE one ->> 'role' END END);
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION holdfast.note_operator() FROM PUBLIC;
CREATE TRIGGER note_operator AFTER INSERT OR UPDATE OR DELETE ON holdfast.member
  FOR EACH ROW EXECUTE FUNCTION holdfast.note_operator();
CREATE TRIGGER note_operator AFTER INSERT OR DELETE ON holdfast.token
  FOR EACH ROW EXECUTE FUNCTION holdfast.note_operator();
CREATE TRIGGER note_operator AFTER INSERT OR UPDATE OR DELETE ON holdfast.group_role
  FOR EACH ROW EXECUTE FUNCTION holdfast.note_operator();
CREATE TRIGGER note_operator AFTER UPDATE OF subject ON holdfast.person
  FOR EACH ROW EXECUTE FUNCTION holdfast.note_operator();
CREATE TRIGGER note_operator AFTER INSERT OR UPDATE OF rule, own_review ON holdfast.team
  FOR EACH ROW EXECUTE FUNCTION holdfast.note_operator();

SELECT holdfast.sample_nothing();
