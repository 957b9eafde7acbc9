-- Who was given what: key, version and time of a shared memory, and no word of it or of a prompt. And why a change was made.

CREATE TABLE holdfast.receipt (
  organisation int NOT NULL,
  team int NOT NULL,
  person text NOT NULL,
  kind text NOT NULL,
  owner text NOT NULL,
  key text NOT NULL,
  version bigint NOT NULL,
  at text COLLATE "C" NOT NULL,
  PRIMARY KEY (organisation, team, key, kind, owner, person, version, at)
) PARTITION BY LIST (organisation);

ALTER TABLE holdfast.audit
  ADD COLUMN reason text NOT NULL DEFAULT coalesce(current_setting('holdfast.reason', true), '');

-- A person adds and sees their own; who reviews sees those of the team. Nobody changes one.
SELECT holdfast.protect('receipt', 'SELECT, INSERT');
CREATE POLICY seen ON holdfast.receipt FOR SELECT TO holdfast_app
  USING (organisation = (SELECT holdfast.my_organisation())
    AND (team = ANY ((SELECT holdfast.my_teams('reviewer'))::int[])
      OR team = ANY ((SELECT holdfast.my_teams('reader'))::int[]) AND person = current_setting('holdfast.person', true)));
CREATE POLICY added ON holdfast.receipt FOR INSERT TO holdfast_app
  WITH CHECK (organisation = (SELECT holdfast.my_organisation())
    AND team = ANY ((SELECT holdfast.my_teams('reader'))::int[])
    AND person = current_setting('holdfast.person', true));
