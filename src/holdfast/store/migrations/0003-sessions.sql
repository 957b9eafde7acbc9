-- What was said in sessions, as far as a team shares it: passages that are searched, and sessions as they are listed.

CREATE SEQUENCE holdfast.passage_id;

CREATE TABLE holdfast.passage_source (
  organisation int NOT NULL,
  team int NOT NULL,
  id bigint NOT NULL DEFAULT nextval('holdfast.passage_id'),
  name text NOT NULL,
  agent text NOT NULL,
  sort text NOT NULL,
  title text NOT NULL,
  at text NOT NULL,
  PRIMARY KEY (organisation, id),
  UNIQUE (organisation, team, name)
) PARTITION BY LIST (organisation);

CREATE TABLE holdfast.passage (
  organisation int NOT NULL,
  team int NOT NULL,
  id bigint NOT NULL DEFAULT nextval('holdfast.passage_id'),
  source bigint NOT NULL,
  place int NOT NULL,
  kind text COLLATE "C" NOT NULL,
  owner text COLLATE "C" NOT NULL,
  at text COLLATE "C" NOT NULL,
  name text NOT NULL,
  speaker text NOT NULL,
  text text NOT NULL,
  length int NOT NULL,
  words tsvector NOT NULL,
  PRIMARY KEY (organisation, id),
  FOREIGN KEY (organisation, source) REFERENCES holdfast.passage_source ON DELETE CASCADE
) PARTITION BY LIST (organisation);
CREATE INDEX ON holdfast.passage (organisation, source, place);
CREATE INDEX ON holdfast.passage (organisation, team, kind, owner, at);

CREATE TABLE holdfast.passage_meaning (
  organisation int NOT NULL,
  team int NOT NULL,
  passage bigint NOT NULL,
  model text NOT NULL,
  vector bytea NOT NULL,
  near halfvec NOT NULL,
  PRIMARY KEY (organisation, passage, model),
  FOREIGN KEY (organisation, passage) REFERENCES holdfast.passage ON DELETE CASCADE
) PARTITION BY LIST (organisation);

CREATE TABLE holdfast.session (
  organisation int NOT NULL,
  team int NOT NULL,
  name text COLLATE "C" NOT NULL,
  agent text NOT NULL,
  id text COLLATE "C" NOT NULL,
  project text NOT NULL,
  branches text[] NOT NULL,
  started text COLLATE "C" NOT NULL,
  ended text COLLATE "C" NOT NULL,
  outcome text NOT NULL,
  is_subagent boolean NOT NULL,
  talk boolean NOT NULL,
  row jsonb NOT NULL,
  PRIMARY KEY (organisation, team, name)
) PARTITION BY LIST (organisation);

CREATE TABLE holdfast.session_file (
  organisation int NOT NULL,
  team int NOT NULL,
  session text COLLATE "C" NOT NULL,
  project text NOT NULL,
  path text NOT NULL,
  whole text NOT NULL,
  changes int NOT NULL,
  at text COLLATE "C" NOT NULL,
  place int NOT NULL,
  FOREIGN KEY (organisation, team, session) REFERENCES holdfast.session ON DELETE CASCADE
);
CREATE INDEX ON holdfast.session_file (organisation, team, session);

CREATE TABLE holdfast.session_spend (
  organisation int NOT NULL,
  team int NOT NULL,
  session text COLLATE "C" NOT NULL,
  day text COLLATE "C" NOT NULL,
  model text NOT NULL,
  input bigint NOT NULL,
  output bigint NOT NULL,
  cache_read bigint NOT NULL,
  cache_write bigint NOT NULL,
  reasoning bigint NOT NULL,
  dollars double precision NOT NULL,
  FOREIGN KEY (organisation, team, session) REFERENCES holdfast.session ON DELETE CASCADE
);
CREATE INDEX ON holdfast.session_spend (organisation, team, session);

CREATE TABLE holdfast.filled (
  organisation int NOT NULL,
  team int NOT NULL,
  PRIMARY KEY (organisation, team)
);

SELECT holdfast.protect_team(name, 'writer')
  FROM unnest('{passage_source,passage,session,session_file,session_spend,filled}'::text[]) name;
SELECT holdfast.protect_team('passage_meaning', 'reader');
GRANT USAGE ON SEQUENCE holdfast.passage_id TO holdfast_app;

-- Each organisation has a partition of its own of every partitioned table; nobody but the operator reaches one directly.
CREATE FUNCTION holdfast.add_partitions() RETURNS void LANGUAGE plpgsql AS $$
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
END $$;
