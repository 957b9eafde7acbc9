-- An organisation's admin makes tokens that may also `admin`, as the operator does: a token may at most what its person
-- may. Taking somebody out of a team makes no person of a name that was mistyped.

CREATE OR REPLACE FUNCTION holdfast.add_token(whom text, its_digest text, named text, may text[], days int) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  of_all int := holdfast.administered('everyone');
BEGIN
  IF days IS NULL OR days NOT BETWEEN 1 AND 366 OR NOT may <@ '{read,write,review,admin}'::text[] OR may = '{}' THEN
    PERFORM holdfast.refuse('HF422', 'a token lasts 1 to 366 days and may some of read, write, review and admin');
  END IF;
  INSERT INTO holdfast.token (digest, organisation, person, organisation_name, person_name, name, rights, expires)
    SELECT its_digest, p.organisation, p.id, current_setting('holdfast.organisation'), p.name, named, may,
      now() + make_interval(days => days)
    FROM holdfast.person p WHERE p.organisation = holdfast.my_organisation() AND p.name = whom;
  IF NOT FOUND THEN
    PERFORM holdfast.refuse('HF404', format('there is no person %s', whom), '`holdfast hub admin` adds them: --role.');
  END IF;
  PERFORM holdfast.note_act(of_all, 'token', '', '', whom || ':' || named, '', '');
END $$;

CREATE OR REPLACE FUNCTION holdfast.set_role(named text, whom text, new_role text) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  which int := holdfast.administered(named);
  of_all int := (SELECT id FROM holdfast.team WHERE organisation = holdfast.my_organisation() AND name = 'everyone');
  person_id int;
BEGIN
  SELECT id INTO person_id FROM holdfast.person WHERE organisation = holdfast.my_organisation() AND name = whom;
  IF new_role = '' THEN
    DELETE FROM holdfast.member WHERE organisation = holdfast.my_organisation() AND team = which AND person = person_id;
    IF NOT FOUND THEN
      PERFORM holdfast.refuse('HF404', format('%s is not in %s', whom, named));
    END IF;
  ELSE
    IF person_id IS NULL THEN
      PERFORM holdfast.administered('everyone');
      INSERT INTO holdfast.person (organisation, name) VALUES (holdfast.my_organisation(), whom)
        RETURNING id INTO person_id;
    END IF;
    INSERT INTO holdfast.member VALUES (holdfast.my_organisation(), which, person_id, new_role::holdfast.role)
      ON CONFLICT (organisation, person, team) DO UPDATE SET role = excluded.role;
    INSERT INTO holdfast.member VALUES (holdfast.my_organisation(), of_all, person_id, 'reader')
      ON CONFLICT (organisation, person, team) DO NOTHING;
  END IF;
  PERFORM holdfast.note_act(which, 'member', '', '', whom || ':' || new_role, '', '');
END $$;
