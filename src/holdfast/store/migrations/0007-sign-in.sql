-- Signing in by an OpenID provider: who somebody is there, and which groups of theirs have which role in a team.
--
-- The application says who signed in, since it is what checks their sign-in; what comes of it the operator laid down in
-- `group_role`, and only `sign_in`, which runs as the operator, carries it out.

CREATE UNIQUE INDEX person_subject ON holdfast.person (organisation, subject) WHERE subject <> '';

CREATE TABLE holdfast.group_role (
  organisation int NOT NULL,
  name text NOT NULL CHECK (name <> ''),
  team int NOT NULL,
  role holdfast.role NOT NULL,
  PRIMARY KEY (organisation, name, team),
  FOREIGN KEY (organisation, team) REFERENCES holdfast.team ON DELETE CASCADE
);
SELECT holdfast.protect('group_role', 'SELECT');

-- Returns the name of the person. One who is not known yet is added if a group of theirs has a role; one who was named
-- before they first signed in is from then on that account of the provider, and no other.
CREATE FUNCTION holdfast.sign_in(its_organisation text, named text, account text, groups text[]) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  here int := (SELECT id FROM holdfast.organisation WHERE name = its_organisation);
  of_all int := (SELECT id FROM holdfast.team WHERE organisation = here AND name = 'everyone');
  one holdfast.person;
  wanted record;
  removed boolean := false;
BEGIN
  IF here IS NULL OR coalesce(account, '') = '' THEN
    PERFORM holdfast.refuse('HF403', 'this hub has no such organisation, or nobody signed in');
  END IF;
  PERFORM pg_advisory_xact_lock(7433002, hashtext(its_organisation || ' ' || account));
  SELECT p.* INTO one FROM holdfast.person p WHERE p.organisation = here AND p.subject = account;
  IF one.id IS NULL THEN
    SELECT p.* INTO one FROM holdfast.person p WHERE p.organisation = here AND p.name = named;
    IF one.subject <> '' THEN
      PERFORM holdfast.refuse('HF403', format('%s is another account of the provider', named),
        'The operator says who is meant: `holdfast hub account`.');
    ELSIF one.id IS NOT NULL THEN
      UPDATE holdfast.person SET subject = account WHERE organisation = here AND id = one.id;
    ELSIF NOT EXISTS (SELECT 1 FROM holdfast.group_role g WHERE g.organisation = here AND g.name = ANY (groups)) THEN
      PERFORM holdfast.refuse('HF403', format('%s is in no team here', named),
        'An administrator adds people; so does a group that has a role: `holdfast hub group`.');
    ELSE
      INSERT INTO holdfast.person (organisation, name, subject) VALUES (here, named, account) RETURNING * INTO one;
    END IF;
  END IF;
  PERFORM set_config('holdfast.organisation', its_organisation, true), set_config('holdfast.person', one.name, true),
    set_config('holdfast.reason', 'groups of the provider', true);
  FOR wanted IN
    SELECT g.team, max(g.role) FILTER (WHERE g.name = ANY (groups)) AS role, min(m.role::text) AS was
    FROM holdfast.group_role g LEFT JOIN holdfast.member m
      ON (m.organisation, m.team, m.person) = (g.organisation, g.team, one.id)
    WHERE g.organisation = here GROUP BY g.team
  LOOP
    CONTINUE WHEN wanted.role::text IS NOT DISTINCT FROM wanted.was;
    IF wanted.role IS NULL THEN
      DELETE FROM holdfast.member WHERE organisation = here AND team = wanted.team AND person = one.id;
      removed := true;
    ELSE
      INSERT INTO holdfast.member VALUES (here, wanted.team, one.id, wanted.role)
        ON CONFLICT (organisation, person, team) DO UPDATE SET role = excluded.role;
      INSERT INTO holdfast.member VALUES (here, of_all, one.id, 'reader') ON CONFLICT DO NOTHING;
    END IF;
    PERFORM holdfast.note_act(wanted.team, 'member', '', '', one.name || ':' || coalesce(wanted.role::text, ''), '', '');
  END LOOP;
  -- Who was in teams by their groups alone is in none any more.
  IF removed AND NOT EXISTS (SELECT 1 FROM holdfast.member m
    WHERE m.organisation = here AND m.person = one.id AND m.team <> of_all)
  THEN
    DELETE FROM holdfast.member WHERE organisation = here AND person = one.id;
  END IF;
  RETURN one.name;
END $$;
REVOKE ALL ON FUNCTION holdfast.sign_in(text, text, text, text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION holdfast.sign_in(text, text, text, text[]) TO holdfast_app;

-- Tokens that people make for themselves: they may no more than their person does, as every token, and end soon.
CREATE FUNCTION holdfast.add_own_token(its_digest text, named text, may text[], days int) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF days IS NULL OR days NOT BETWEEN 1 AND 90 OR NOT may <@ '{read,write,review,admin}'::text[] OR may = '{}'
    OR coalesce(named, '') = '' OR length(named) > 60 THEN
    PERFORM holdfast.refuse('HF422', 'a token of your own has a name, lasts 1 to 90 days and may something');
  END IF;
  IF 20 <= (SELECT count(*) FROM holdfast.token WHERE organisation = holdfast.my_organisation()
    AND person = holdfast.my_person() AND expires > now()) THEN
    PERFORM holdfast.refuse('HF409', 'you have 20 tokens already', 'End one of them.');
  END IF;
  INSERT INTO holdfast.token (digest, organisation, person, organisation_name, person_name, name, rights, expires)
    SELECT its_digest, p.organisation, p.id, current_setting('holdfast.organisation'), p.name, named, may,
      now() + make_interval(days => days)
    FROM holdfast.person p WHERE p.organisation = holdfast.my_organisation() AND p.id = holdfast.my_person();
  IF NOT FOUND THEN
    PERFORM holdfast.refuse('HF403', 'nobody is signed in');
  END IF;
  PERFORM holdfast.note_act((SELECT id FROM holdfast.team WHERE organisation = holdfast.my_organisation()
    AND name = 'everyone'), 'token', '', '', current_setting('holdfast.person') || ':' || named, '', '');
END $$;

CREATE FUNCTION holdfast.own_tokens() RETURNS TABLE (name text, rights text[], created timestamptz, expires timestamptz)
  STABLE LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS
  $$ SELECT t.name, t.rights, t.created, t.expires FROM holdfast.token t WHERE t.organisation = holdfast.my_organisation()
     AND t.person = holdfast.my_person() AND t.expires > now() ORDER BY t.created $$;

CREATE FUNCTION holdfast.end_own_tokens(named text) RETURNS int
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  ended int;
BEGIN
  DELETE FROM holdfast.token t WHERE t.organisation = holdfast.my_organisation() AND t.person = holdfast.my_person()
    AND t.name = named;
  GET DIAGNOSTICS ended = ROW_COUNT;
  IF ended > 0 THEN
    PERFORM holdfast.note_act((SELECT id FROM holdfast.team WHERE organisation = holdfast.my_organisation()
      AND name = 'everyone'), 'end-tokens', '', '', current_setting('holdfast.person') || ':' || named, '', '');
  END IF;
  RETURN ended;
END $$;
REVOKE ALL ON FUNCTION holdfast.add_own_token(text, text, text[], int), holdfast.own_tokens(),
  holdfast.end_own_tokens(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION holdfast.add_own_token(text, text, text[], int), holdfast.own_tokens(),
  holdfast.end_own_tokens(text) TO holdfast_app;
