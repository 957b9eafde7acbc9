-- The memories of teams, each a Markdown text with what is asked for most beside it, partitioned by organisation.
--
-- Changes of one team are numbered one after the other: `feed` is locked until the transaction ends, so whoever sees a
-- number sees all below it. A client that asks for what came after its last number misses nothing.

CREATE TABLE holdfast.feed (
  organisation int NOT NULL,
  team int NOT NULL,
  change bigint NOT NULL DEFAULT 0,
  memories bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (organisation, team),
  FOREIGN KEY (organisation, team) REFERENCES holdfast.team ON DELETE CASCADE
) WITH (fillfactor = 20);

CREATE SEQUENCE holdfast.memory_id;

-- `text` is the truth; `words` has the title (A), key and tags (B), the statement (C) and earlier ones (D).
CREATE TABLE holdfast.memory (
  organisation int NOT NULL,
  team int NOT NULL,
  id bigint NOT NULL DEFAULT nextval('holdfast.memory_id'),
  change bigint NOT NULL DEFAULT 0,
  kind text COLLATE "C" NOT NULL,
  owner text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  title text NOT NULL,
  body text NOT NULL,
  type text NOT NULL,
  tags text[] NOT NULL,
  low_tags text[] NOT NULL,
  trust text NOT NULL,
  created text COLLATE "C" NOT NULL,
  updated text COLLATE "C" NOT NULL,
  source text NOT NULL,
  agent text NOT NULL,
  session text NOT NULL,
  supersedes text[] NOT NULL,
  pinned boolean NOT NULL,
  anchors text[] NOT NULL,
  branch text NOT NULL,
  condition text NOT NULL,
  enforce text NOT NULL,
  is_rule boolean NOT NULL,
  said text NOT NULL,
  earlier text[] NOT NULL,
  length int NOT NULL,
  words tsvector NOT NULL,
  text text NOT NULL,
  written timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organisation, id),
  UNIQUE (organisation, team, kind, owner, key)
) PARTITION BY LIST (organisation);
CREATE INDEX ON holdfast.memory (organisation, team, change);
CREATE INDEX ON holdfast.memory (organisation, team, updated);
CREATE INDEX ON holdfast.memory (organisation, team, kind, owner) WHERE supersedes <> '{}';
CREATE INDEX ON holdfast.memory (organisation, team, kind, owner) WHERE earlier <> '{}';

-- Vectors are derived, one for each model; whoever may read may make them.
CREATE TABLE holdfast.meaning (
  organisation int NOT NULL,
  team int NOT NULL,
  memory bigint NOT NULL,
  model text NOT NULL,
  vector bytea NOT NULL,
  near halfvec NOT NULL,
  PRIMARY KEY (organisation, memory, model),
  FOREIGN KEY (organisation, memory) REFERENCES holdfast.memory ON DELETE CASCADE
) PARTITION BY LIST (organisation);

-- What is no longer where it was, so that clients hear of it.
CREATE TABLE holdfast.gone (
  organisation int NOT NULL,
  team int NOT NULL,
  kind text COLLATE "C" NOT NULL,
  owner text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  change bigint NOT NULL,
  PRIMARY KEY (organisation, team, kind, owner, key)
) PARTITION BY LIST (organisation);
CREATE INDEX ON holdfast.gone (organisation, team, change);

-- Tombstones: digests of keys and of statements, never a word.
CREATE TABLE holdfast.forgotten (
  organisation int NOT NULL,
  team int NOT NULL,
  kind text NOT NULL,
  owner text NOT NULL,
  what text NOT NULL CHECK (what IN ('key', 'said')),
  digest text NOT NULL,
  PRIMARY KEY (organisation, team, kind, owner, what, digest)
);

CREATE TABLE holdfast.use (
  organisation int NOT NULL,
  team int NOT NULL,
  kind text NOT NULL,
  owner text NOT NULL,
  key text NOT NULL,
  count int NOT NULL,
  last text COLLATE "C" NOT NULL,
  PRIMARY KEY (organisation, team, kind, owner, key)
);

-- English endings come off, and no word is left out: who asks leaves out what names nothing.
CREATE TEXT SEARCH DICTIONARY holdfast.stem (TEMPLATE = snowball, Language = english);

CREATE FUNCTION holdfast.stem_of(word text) RETURNS text STABLE PARALLEL SAFE LANGUAGE sql AS
  $$ SELECT coalesce((ts_lexize('holdfast.stem', word))[1], word) $$;

CREATE FUNCTION holdfast.words_of(said text[], weight text) RETURNS tsvector STABLE PARALLEL SAFE LANGUAGE sql AS
  $$ SELECT coalesce(string_agg(quote_literal(holdfast.stem_of(word)) || ':' || least(place, 16383) || weight, ' '),
       '')::tsvector FROM unnest(said) WITH ORDINALITY AS told(word, place) $$;

CREATE FUNCTION holdfast.digest_of(said text) RETURNS text IMMUTABLE LANGUAGE sql AS
  $$ SELECT left(encode(sha256(convert_to(said, 'UTF8')), 'hex'), 32) $$;

CREATE FUNCTION holdfast.number_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE holdfast.feed SET change = change + 1, memories = memories + (TG_OP = 'INSERT')::int
    WHERE organisation = NEW.organisation AND team = NEW.team RETURNING change INTO NEW.change;
  IF NOT FOUND THEN
    RAISE insufficient_privilege USING MESSAGE = 'this team is not there, or not one that this person writes to';
  END IF;
  IF TG_OP = 'UPDATE' AND (NEW.organisation, NEW.team, NEW.id) <> (OLD.organisation, OLD.team, OLD.id) THEN
    RAISE insufficient_privilege USING MESSAGE = 'a memory stays in its team; to share it, copy it';
  END IF;
  NEW.written := clock_timestamp();
  RETURN NEW;
END $$;

CREATE FUNCTION holdfast.note_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  number bigint;
  one record;
BEGIN
  one := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
  IF TG_OP = 'DELETE' THEN
    UPDATE holdfast.feed SET change = change + 1, memories = memories - 1
      WHERE organisation = OLD.organisation AND team = OLD.team RETURNING change INTO number;
  ELSE
    number := NEW.change;
    DELETE FROM holdfast.gone g WHERE (g.organisation, g.team, g.kind, g.owner, g.key)
      = (NEW.organisation, NEW.team, NEW.kind, NEW.owner, NEW.key);
  END IF;
  IF TG_OP = 'DELETE' OR TG_OP = 'UPDATE' AND (NEW.kind, NEW.owner, NEW.key) <> (OLD.kind, OLD.owner, OLD.key) THEN
    INSERT INTO holdfast.gone VALUES (OLD.organisation, OLD.team, OLD.kind, OLD.owner, OLD.key, number)
      ON CONFLICT (organisation, team, kind, owner, key) DO UPDATE SET change = excluded.change;
  END IF;
  IF TG_OP = 'UPDATE' AND (NEW.title, NEW.tags, NEW.body) <> (OLD.title, OLD.tags, OLD.body) THEN
    DELETE FROM holdfast.meaning WHERE organisation = NEW.organisation AND memory = NEW.id;
  END IF;
  INSERT INTO holdfast.audit (organisation, person, act, team, kind, owner, key, before, after) VALUES (
    one.organisation, coalesce(current_setting('holdfast.person', true), ''), lower(TG_OP), one.team, one.kind,
    one.owner, one.key, CASE TG_OP WHEN 'INSERT' THEN '' ELSE holdfast.digest_of(OLD.text) END,
    CASE TG_OP WHEN 'DELETE' THEN '' ELSE holdfast.digest_of(NEW.text) END);
  RETURN NULL;
END $$;

CREATE TRIGGER number_change BEFORE INSERT OR UPDATE ON holdfast.memory
  FOR EACH ROW EXECUTE FUNCTION holdfast.number_change();
CREATE TRIGGER note_change AFTER INSERT OR UPDATE OR DELETE ON holdfast.memory
  FOR EACH ROW EXECUTE FUNCTION holdfast.note_change();

-- What is of one person, one session or one agent is no team's: only an organisation that is one person's own takes it.
SELECT holdfast.protect_team('memory', 'writer', $$kind IN ('global', 'project') AND type <> 'user'
  OR (SELECT personal FROM holdfast.organisation WHERE id = (SELECT holdfast.my_organisation()))$$);
SELECT holdfast.protect_team(name, 'writer') FROM unnest('{feed,gone,forgotten}'::text[]) name;
SELECT holdfast.protect_team(name, 'reader') FROM unnest('{meaning,use}'::text[]) name;
REVOKE INSERT, DELETE ON holdfast.feed FROM holdfast_app;
GRANT USAGE ON SEQUENCE holdfast.memory_id TO holdfast_app;
