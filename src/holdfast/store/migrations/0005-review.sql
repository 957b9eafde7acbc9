-- A team may be reviewed: what is to be shared there is proposed, and somebody else who reviews decides.
--
-- The application's role cannot write a memory of a reviewed team at all, and cannot decide but through `decide`, which
-- runs as the operator and looks up itself what the person may. So raw SQL of the application goes no other way.

ALTER TABLE holdfast.team
  ADD COLUMN rule text NOT NULL DEFAULT 'open' CHECK (rule IN ('open', 'reviewed')),
  ADD COLUMN own_review boolean NOT NULL DEFAULT false;

CREATE FUNCTION holdfast.reviewed_teams() RETURNS int[] STABLE LANGUAGE sql AS
  $$ SELECT coalesce(array_agg(id), '{}') FROM holdfast.team
     WHERE organisation = holdfast.my_organisation() AND rule = 'reviewed' $$;

-- Restrictive: whatever else a policy lets in, a reviewed team is written to by `decide` alone. Removing is free, since
-- taking away is the safe direction.
CREATE POLICY unreviewed_added ON holdfast.memory AS RESTRICTIVE FOR INSERT TO holdfast_app
  WITH CHECK (team <> ALL ((SELECT holdfast.reviewed_teams())::int[]));
CREATE POLICY unreviewed_changed ON holdfast.memory AS RESTRICTIVE FOR UPDATE TO holdfast_app
  USING (team <> ALL ((SELECT holdfast.reviewed_teams())::int[]));

-- A proposal is the row that the memory would become. When it is decided, its words go; digests and reasons stay.
CREATE TABLE holdfast.proposal (
  LIKE holdfast.memory INCLUDING DEFAULTS,
  person text NOT NULL,
  reason text NOT NULL CHECK (reason <> ''),
  key_digest text NOT NULL,
  before text NOT NULL DEFAULT '',
  after text NOT NULL DEFAULT '',
  made timestamptz NOT NULL DEFAULT clock_timestamp(),
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'approved', 'rejected', 'replaced')),
  decided_by text NOT NULL DEFAULT '',
  decided timestamptz,
  answer text NOT NULL DEFAULT '',
  PRIMARY KEY (organisation, id)
) PARTITION BY LIST (organisation);
CREATE INDEX ON holdfast.proposal (organisation, team, state, id);

SELECT holdfast.protect('proposal', 'SELECT, INSERT');
CREATE POLICY seen ON holdfast.proposal FOR SELECT TO holdfast_app
  USING (organisation = (SELECT holdfast.my_organisation())
    AND (team = ANY ((SELECT holdfast.my_teams('reviewer'))::int[])
      OR team = ANY ((SELECT holdfast.my_teams('reader'))::int[]) AND person = current_setting('holdfast.person', true)));
CREATE POLICY added ON holdfast.proposal FOR INSERT TO holdfast_app
  WITH CHECK (organisation = (SELECT holdfast.my_organisation())
    AND team = ANY ((SELECT holdfast.my_teams('writer'))::int[])
    AND person = current_setting('holdfast.person', true) AND state = 'open' AND decided_by = '' AND answer = ''
    AND kind IN ('global', 'project') AND type <> 'user');

CREATE FUNCTION holdfast.without_words(one holdfast.proposal) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  UPDATE holdfast.proposal SET title = '', body = '', tags = '{}', low_tags = '{}', words = '', text = '', said = '',
    earlier = '{}', supersedes = '{}', anchors = '{}', branch = '', condition = '', length = 0
    WHERE organisation = one.organisation AND id = one.id $$;
REVOKE ALL ON FUNCTION holdfast.without_words(holdfast.proposal) FROM PUBLIC;

-- What the proposal is about is as the database has it now, whoever says otherwise; an older one of the same person ends.
CREATE FUNCTION holdfast.begin_proposal() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  older holdfast.proposal;
BEGIN
  NEW.made := clock_timestamp();
  NEW.id := nextval('holdfast.memory_id');
  NEW.change := 0;
  NEW.after := holdfast.digest_of(NEW.text);
  NEW.before := coalesce((SELECT holdfast.digest_of(m.text) FROM holdfast.memory m
    WHERE (m.organisation, m.team, m.kind, m.owner, m.key)
      = (NEW.organisation, NEW.team, NEW.kind, NEW.owner, NEW.key)), '');
  FOR older IN SELECT p.* FROM holdfast.proposal p WHERE (p.organisation, p.team, p.kind, p.owner, p.key, p.person)
    = (NEW.organisation, NEW.team, NEW.kind, NEW.owner, NEW.key, NEW.person) AND p.state = 'open'
  LOOP
    UPDATE holdfast.proposal SET state = 'replaced', decided = clock_timestamp()
      WHERE organisation = older.organisation AND id = older.id;
    PERFORM holdfast.without_words(older);
  END LOOP;
  RETURN NEW;
END $$;

CREATE FUNCTION holdfast.note_act(team int, act text, kind text, owner text, key text, before text, after text)
  RETURNS void LANGUAGE sql AS $$
  INSERT INTO holdfast.audit (organisation, person, act, team, kind, owner, key, before, after)
  VALUES (holdfast.my_organisation(), coalesce(current_setting('holdfast.person', true), ''), act, team, kind, owner,
    key, before, after) $$;

CREATE FUNCTION holdfast.note_proposal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('holdfast.reason', NEW.reason, true);
  PERFORM holdfast.note_act(NEW.team, 'propose', NEW.kind, NEW.owner, NEW.key, NEW.before, NEW.after);
  RETURN NULL;
END $$;

CREATE TRIGGER begin_proposal BEFORE INSERT ON holdfast.proposal
  FOR EACH ROW EXECUTE FUNCTION holdfast.begin_proposal();
CREATE TRIGGER note_proposal AFTER INSERT ON holdfast.proposal
  FOR EACH ROW EXECUTE FUNCTION holdfast.note_proposal();

-- Errors that a person is told carry a state of ours: HF403 may not, HF404 not there, HF409 changed, HF422 cannot be.
CREATE FUNCTION holdfast.refuse(state text, told text, way text DEFAULT '') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = state, MESSAGE = told, HINT = way;
END $$;

CREATE FUNCTION holdfast.decide(which bigint, verdict text, why text) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  me text := current_setting('holdfast.person', true);
  one holdfast.proposal;
  there holdfast.memory;
  its_team holdfast.team;
  fields text;
BEGIN
  IF verdict IS NULL OR verdict NOT IN ('approved', 'rejected') OR coalesce(trim(why), '') = '' THEN
    PERFORM holdfast.refuse('HF422', 'a verdict is approved or rejected, and has a reason');
  END IF;
  SELECT p.* INTO one FROM holdfast.proposal p
    WHERE p.organisation = holdfast.my_organisation() AND p.id = which
      AND (p.team = ANY (holdfast.my_teams('reviewer')) OR p.person = me AND p.team = ANY (holdfast.my_teams('reader')));
  IF one.id IS NULL THEN
    PERFORM holdfast.refuse('HF404', format('there is no proposal %s that you may see', which));
  END IF;
  PERFORM 1 FROM holdfast.feed WHERE organisation = one.organisation AND team = one.team FOR UPDATE;
  SELECT p.* INTO one FROM holdfast.proposal p WHERE p.organisation = one.organisation AND p.id = which FOR UPDATE;
  IF one.state <> 'open' THEN
    PERFORM holdfast.refuse('HF409', format('proposal %s was %s already', which, one.state));
  END IF;
  SELECT t.* INTO its_team FROM holdfast.team t WHERE t.organisation = one.organisation AND t.id = one.team;
  IF verdict = 'approved' THEN
    IF one.team <> ALL (holdfast.my_teams('reviewer')) THEN
      PERFORM holdfast.refuse('HF403', format('%s does not review %s', me, its_team.name));
    END IF;
    IF one.person = me AND NOT its_team.own_review AND 1 <> (SELECT count(*) FROM holdfast.member m
      WHERE m.organisation = one.organisation AND m.team = one.team)
    THEN
      PERFORM holdfast.refuse('HF403', 'nobody approves what they proposed themselves',
        'Somebody else who reviews the team does; or its rule is changed.');
    END IF;
    SELECT m.* INTO there FROM holdfast.memory m WHERE (m.organisation, m.team, m.kind, m.owner, m.key)
      = (one.organisation, one.team, one.kind, one.owner, one.key);
    IF coalesce(holdfast.digest_of(there.text), '') <> one.before THEN
      PERFORM holdfast.refuse('HF409', format('%s changed since it was proposed', one.key), 'Propose it again.');
    END IF;
    PERFORM set_config('holdfast.reason', format('%s (proposed by %s; %s)', one.reason, one.person, why), true);
    SELECT string_agg(quote_ident(attname), ', ') INTO fields FROM pg_attribute
      WHERE attrelid = 'holdfast.memory'::regclass AND attnum > 0 AND NOT attisdropped
        AND attname NOT IN ('organisation', 'team', 'id', 'change', 'written');
    IF there.id IS NULL THEN
      EXECUTE format('INSERT INTO holdfast.memory (organisation, team, %s) SELECT organisation, team, %s'
        ' FROM holdfast.proposal WHERE organisation = $1 AND id = $2', fields, fields) USING one.organisation, which;
    ELSE
      EXECUTE format('UPDATE holdfast.memory SET (%s) = (SELECT %s FROM holdfast.proposal WHERE organisation = $1'
        ' AND id = $2) WHERE organisation = $1 AND id = $3', fields, fields) USING one.organisation, which, there.id;
    END IF;
    DELETE FROM holdfast.forgotten f WHERE (f.organisation, f.team, f.kind, f.owner)
      = (one.organisation, one.team, one.kind, one.owner)
      AND (f.what, f.digest) IN (('key', one.key_digest), ('said', one.said));
  ELSE
    PERFORM set_config('holdfast.reason', why, true);
    PERFORM holdfast.note_act(one.team, 'reject', one.kind, one.owner, one.key, one.before, one.after);
  END IF;
  UPDATE holdfast.proposal SET state = verdict, decided_by = me, decided = clock_timestamp(), answer = why
    WHERE organisation = one.organisation AND id = which;
  PERFORM holdfast.without_words(one);
  RETURN its_team.name;
END $$;

-- Who is admin in a team sets its rule and its people; who is admin in `everyone` does so in every team of the
-- organisation, adds people to it and makes their tokens. All of it is in the audit.
CREATE FUNCTION holdfast.administered(named text) RETURNS int
  STABLE LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  found_team int;
  of_all int;
BEGIN
  SELECT id INTO found_team FROM holdfast.team WHERE organisation = holdfast.my_organisation() AND name = named;
  SELECT id INTO of_all FROM holdfast.team WHERE organisation = holdfast.my_organisation() AND name = 'everyone';
  IF found_team IS NULL OR NOT ('{}'::int[] || found_team || of_all) && holdfast.my_teams('admin') THEN
    PERFORM holdfast.refuse('HF403', format('you are no admin of %s', named));
  END IF;
  RETURN found_team;
END $$;

CREATE FUNCTION holdfast.set_rule(named text, new_rule text, own boolean) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  which int := holdfast.administered(named);
BEGIN
  IF new_rule NOT IN ('open', 'reviewed') THEN
    PERFORM holdfast.refuse('HF422', 'a rule is open or reviewed');
  END IF;
  UPDATE holdfast.team SET rule = new_rule, own_review = own
    WHERE organisation = holdfast.my_organisation() AND id = which;
  PERFORM holdfast.note_act(which, 'rule', '', '', new_rule || CASE WHEN own THEN '-own' ELSE '' END, '', '');
END $$;

CREATE FUNCTION holdfast.set_role(named text, whom text, new_role text) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  which int := holdfast.administered(named);
  of_all int := (SELECT id FROM holdfast.team WHERE organisation = holdfast.my_organisation() AND name = 'everyone');
  person_id int;
BEGIN
  SELECT id INTO person_id FROM holdfast.person WHERE organisation = holdfast.my_organisation() AND name = whom;
  IF person_id IS NULL THEN
    PERFORM holdfast.administered('everyone');
    INSERT INTO holdfast.person (organisation, name) VALUES (holdfast.my_organisation(), whom) RETURNING id INTO person_id;
  END IF;
  IF new_role = '' THEN
    DELETE FROM holdfast.member WHERE organisation = holdfast.my_organisation() AND team = which AND person = person_id;
  ELSE
    INSERT INTO holdfast.member VALUES (holdfast.my_organisation(), which, person_id, new_role::holdfast.role)
      ON CONFLICT (organisation, person, team) DO UPDATE SET role = excluded.role;
    INSERT INTO holdfast.member VALUES (holdfast.my_organisation(), of_all, person_id, 'reader')
      ON CONFLICT (organisation, person, team) DO NOTHING;
  END IF;
  PERFORM holdfast.note_act(which, 'member', '', '', whom || ':' || new_role, '', '');
END $$;

CREATE FUNCTION holdfast.add_token(whom text, its_digest text, named text, may text[], days int) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  of_all int := holdfast.administered('everyone');
BEGIN
  IF days IS NULL OR days NOT BETWEEN 1 AND 366 OR NOT may <@ '{read,write,review}'::text[] OR may = '{}' THEN
    PERFORM holdfast.refuse('HF422', 'a token lasts 1 to 366 days and may some of read, write and review');
  END IF;
  INSERT INTO holdfast.token (digest, organisation, person, organisation_name, person_name, name, rights, expires)
    SELECT its_digest, p.organisation, p.id, current_setting('holdfast.organisation'), p.name, named, may,
      now() + make_interval(days => days)
    FROM holdfast.person p WHERE p.organisation = holdfast.my_organisation() AND p.name = whom;
  IF NOT FOUND THEN
    PERFORM holdfast.refuse('HF404', format('there is no person %s', whom));
  END IF;
  PERFORM holdfast.note_act(of_all, 'token', '', '', whom || ':' || named, '', '');
END $$;

CREATE FUNCTION holdfast.end_tokens(whom text, named text) RETURNS int
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  of_all int := holdfast.administered('everyone');
  ended int;
BEGIN
  DELETE FROM holdfast.token WHERE organisation = holdfast.my_organisation() AND person_name = whom
    AND (named = '' OR name = named);
  GET DIAGNOSTICS ended = ROW_COUNT;
  PERFORM holdfast.note_act(of_all, 'end-tokens', '', '', whom || ':' || named, '', '');
  RETURN ended;
END $$;

REVOKE ALL ON FUNCTION holdfast.decide(bigint, text, text), holdfast.set_rule(text, text, boolean),
  holdfast.set_role(text, text, text), holdfast.add_token(text, text, text, text[], int), holdfast.end_tokens(text, text),
  holdfast.administered(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION holdfast.decide(bigint, text, text), holdfast.set_rule(text, text, boolean),
  holdfast.set_role(text, text, text), holdfast.add_token(text, text, text, text[], int), holdfast.end_tokens(text, text)
  TO holdfast_app;
