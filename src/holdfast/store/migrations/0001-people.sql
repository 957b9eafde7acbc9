-- Who there is: organisations, teams, people, what each may do, tokens, and the record of every change.
--
-- A principal is set for one transaction alone: set_config('holdfast.organisation', NAME, true), and so the person.
-- Where none is set, current_setting() is null or empty, no organisation has that name, and no row is seen.

DO $$ BEGIN
  CREATE ROLE holdfast_app NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;

GRANT USAGE ON SCHEMA holdfast TO holdfast_app;

CREATE TYPE holdfast.role AS ENUM ('reader', 'writer', 'reviewer', 'admin');

-- `personal` organisations are one person's own: they alone take what is about a person or of one session.
CREATE TABLE holdfast.organisation (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE CHECK (name ~ '^[a-z0-9][a-z0-9._-]{0,59}$'),
  personal boolean NOT NULL DEFAULT false
);

CREATE TABLE holdfast.team (
  organisation int NOT NULL REFERENCES holdfast.organisation ON DELETE CASCADE,
  id int GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL CHECK (name ~ '^[a-z0-9][a-z0-9._-]{0,59}$'),
  PRIMARY KEY (organisation, id),
  UNIQUE (organisation, name)
);

-- `subject` is who they are to the provider by which they sign in.
CREATE TABLE holdfast.person (
  organisation int NOT NULL REFERENCES holdfast.organisation ON DELETE CASCADE,
  id int GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL CHECK (name ~ '^[a-z0-9][a-z0-9._@-]{0,119}$'),
  subject text NOT NULL DEFAULT '',
  PRIMARY KEY (organisation, id),
  UNIQUE (organisation, name)
);

CREATE TABLE holdfast.member (
  organisation int NOT NULL,
  team int NOT NULL,
  person int NOT NULL,
  role holdfast.role NOT NULL,
  PRIMARY KEY (organisation, person, team),
  FOREIGN KEY (organisation, team) REFERENCES holdfast.team ON DELETE CASCADE,
  FOREIGN KEY (organisation, person) REFERENCES holdfast.person ON DELETE CASCADE
);

-- Of a token only its digest is kept. The names say whose it is before a principal is set.
CREATE TABLE holdfast.token (
  digest text PRIMARY KEY,
  organisation int NOT NULL,
  person int NOT NULL,
  organisation_name text NOT NULL,
  person_name text NOT NULL,
  name text NOT NULL,
  rights text[] NOT NULL,
  created timestamptz NOT NULL DEFAULT now(),
  expires timestamptz NOT NULL,
  FOREIGN KEY (organisation, person) REFERENCES holdfast.person ON DELETE CASCADE
);

-- What was done, by whom, to what; digests stand for the texts. The application may only add to it.
CREATE TABLE holdfast.audit (
  organisation int NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  person text NOT NULL,
  act text NOT NULL,
  team int NOT NULL,
  kind text NOT NULL,
  owner text NOT NULL,
  key text NOT NULL,
  before text NOT NULL DEFAULT '',
  after text NOT NULL DEFAULT ''
) PARTITION BY LIST (organisation);
CREATE INDEX ON holdfast.audit (organisation, team, at);

CREATE FUNCTION holdfast.my_organisation() RETURNS int STABLE LANGUAGE sql AS
  $$ SELECT id FROM holdfast.organisation WHERE name = current_setting('holdfast.organisation', true) $$;

CREATE FUNCTION holdfast.my_person() RETURNS int STABLE LANGUAGE sql AS
  $$ SELECT id FROM holdfast.person
     WHERE organisation = holdfast.my_organisation() AND name = current_setting('holdfast.person', true) $$;

CREATE FUNCTION holdfast.my_teams(at_least holdfast.role) RETURNS int[] STABLE LANGUAGE sql AS
  $$ SELECT coalesce(array_agg(team), '{}') FROM holdfast.member
     WHERE organisation = holdfast.my_organisation() AND person = holdfast.my_person() AND role >= at_least $$;

-- Row-level security on a table of a team: its members see it, those who may write change it, the operator does all.
-- The operator is the role that migrates; the application's role is none of its members.
CREATE FUNCTION holdfast.protect(which text, allowed text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE holdfast.%I ENABLE ROW LEVEL SECURITY', which);
  EXECUTE format('ALTER TABLE holdfast.%I FORCE ROW LEVEL SECURITY', which);
  EXECUTE format('CREATE POLICY operator ON holdfast.%I TO CURRENT_USER USING (true) WITH CHECK (true)', which);
  EXECUTE format('GRANT %s ON holdfast.%I TO holdfast_app', allowed, which);
END $$;

CREATE FUNCTION holdfast.protect_team(which text, writer holdfast.role, extra text DEFAULT 'true')
  RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  within text := 'organisation = (SELECT holdfast.my_organisation())'
    ' AND team = ANY ((SELECT holdfast.my_teams(%L::holdfast.role))::int[])';
BEGIN
  PERFORM holdfast.protect(which, 'SELECT, INSERT, UPDATE, DELETE');
  EXECUTE format('CREATE POLICY seen ON holdfast.%I FOR SELECT TO holdfast_app USING (' || within || ')', which, 'reader');
  EXECUTE format('CREATE POLICY added ON holdfast.%I FOR INSERT TO holdfast_app WITH CHECK (' || within || ' AND (%s))',
    which, writer, extra);
  EXECUTE format('CREATE POLICY changed ON holdfast.%I FOR UPDATE TO holdfast_app USING (' || within || ')'
    ' WITH CHECK (' || within || ' AND (%s))', which, writer, writer, extra);
  EXECUTE format('CREATE POLICY removed ON holdfast.%I FOR DELETE TO holdfast_app USING (' || within || ')',
    which, writer);
END $$;

SELECT holdfast.protect(name, 'SELECT') FROM unnest('{migration,organisation,team,person,member,token}'::text[]) name;
SELECT holdfast.protect('audit', 'SELECT, INSERT');

CREATE POLICY seen ON holdfast.migration FOR SELECT TO holdfast_app USING (true);
CREATE POLICY seen ON holdfast.organisation FOR SELECT TO holdfast_app
  USING (name = current_setting('holdfast.organisation', true));
CREATE POLICY seen ON holdfast.person FOR SELECT TO holdfast_app
  USING (organisation = (SELECT holdfast.my_organisation()) AND name = current_setting('holdfast.person', true));
CREATE POLICY seen ON holdfast.member FOR SELECT TO holdfast_app
  USING (organisation = (SELECT holdfast.my_organisation()) AND person = (SELECT holdfast.my_person()));
CREATE POLICY seen ON holdfast.team FOR SELECT TO holdfast_app
  USING (organisation = (SELECT holdfast.my_organisation()) AND id = ANY ((SELECT holdfast.my_teams('reader'))::int[]));
CREATE POLICY seen ON holdfast.token FOR SELECT TO holdfast_app
  USING (digest = current_setting('holdfast.token', true) AND expires > now());
CREATE POLICY seen ON holdfast.audit FOR SELECT TO holdfast_app
  USING (organisation = (SELECT holdfast.my_organisation()) AND team = ANY ((SELECT holdfast.my_teams('reviewer'))::int[]));
CREATE POLICY added ON holdfast.audit FOR INSERT TO holdfast_app
  WITH CHECK (organisation = (SELECT holdfast.my_organisation()) AND person = current_setting('holdfast.person', true));
