-- Searching by plain indexes: under row-level security no index of words is used, because its operators are not
-- leak-proof. Equality of numbers and texts is, so the words of memories stand in a table of their own, each with what it
-- counts there, and the vectors of a team are found by its number.

-- Who asks is looked up by functions that run as the operator: their plans are kept, and no rule asks for another rule.
CREATE OR REPLACE FUNCTION holdfast.my_organisation() RETURNS int
  STABLE LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (SELECT id FROM holdfast.organisation WHERE name = current_setting('holdfast.organisation', true));
END $$;

CREATE OR REPLACE FUNCTION holdfast.my_person() RETURNS int
  STABLE LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (SELECT p.id FROM holdfast.person p JOIN holdfast.organisation o ON o.id = p.organisation
    WHERE o.name = current_setting('holdfast.organisation', true)
      AND p.name = current_setting('holdfast.person', true));
END $$;

CREATE OR REPLACE FUNCTION holdfast.my_teams(at_least holdfast.role) RETURNS int[]
  STABLE LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (SELECT coalesce(array_agg(m.team), '{}') FROM holdfast.organisation o
    JOIN holdfast.person p ON p.organisation = o.id AND p.name = current_setting('holdfast.person', true)
    JOIN holdfast.member m ON m.organisation = o.id AND m.person = p.id AND m.role >= at_least
    WHERE o.name = current_setting('holdfast.organisation', true));
END $$;

CREATE OR REPLACE FUNCTION holdfast.reviewed_teams() RETURNS int[]
  STABLE LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (SELECT coalesce(array_agg(id), '{}') FROM holdfast.team
    WHERE organisation = holdfast.my_organisation() AND rule = 'reviewed');
END $$;

-- A scope as a number, so that rows of words and of vectors can be told apart without their memory.
CREATE FUNCTION holdfast.scope_of(kind text, owner text) RETURNS bigint IMMUTABLE PARALLEL SAFE LANGUAGE sql AS
  $$ SELECT hashtextextended(kind || '/' || owner, 0) $$;

-- One row for each stem of a memory; `rank` is what ts_rank gives it there, so that nothing is reckoned when it is asked.
CREATE TABLE holdfast.posting (
  organisation int NOT NULL,
  team int NOT NULL,
  stem text COLLATE "C" NOT NULL,
  memory bigint NOT NULL,
  scope bigint NOT NULL,
  rank real NOT NULL,
  PRIMARY KEY (organisation, team, stem, memory) INCLUDE (scope, rank)
) PARTITION BY LIST (organisation);

SELECT holdfast.protect('posting', 'SELECT');
CREATE POLICY seen ON holdfast.posting FOR SELECT TO holdfast_app
  USING (organisation = (SELECT holdfast.my_organisation()) AND team = ANY ((SELECT holdfast.my_teams('reader'))::int[]));

CREATE FUNCTION holdfast.postings_of(words tsvector) RETURNS TABLE (stem text, rank real) STABLE LANGUAGE sql AS $$
  SELECT one, ts_rank('{0.1,0.4,0.7,1.0}', words,
    ('''' || replace(replace(one, '\', '\\'), '''', '''''') || '''')::tsquery, 1)
  FROM unnest(tsvector_to_array(words)) one $$;

CREATE FUNCTION holdfast.keep_postings() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.words = OLD.words AND (NEW.kind, NEW.owner) = (OLD.kind, OLD.owner) THEN
    RETURN NULL;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM holdfast.posting WHERE organisation = OLD.organisation AND team = OLD.team
      AND stem = ANY (tsvector_to_array(OLD.words)) AND memory = OLD.id;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO holdfast.posting SELECT NEW.organisation, NEW.team, p.stem, NEW.id,
      holdfast.scope_of(NEW.kind, NEW.owner), p.rank FROM holdfast.postings_of(NEW.words) p;
  END IF;
  IF TG_OP = 'UPDATE' THEN
    UPDATE holdfast.meaning SET scope = holdfast.scope_of(NEW.kind, NEW.owner)
      WHERE organisation = NEW.organisation AND memory = NEW.id;
  END IF;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION holdfast.keep_postings() FROM PUBLIC;

ALTER TABLE holdfast.meaning ADD COLUMN scope bigint NOT NULL DEFAULT 0;
CREATE INDEX ON holdfast.meaning (organisation, team, model);

-- Whoever puts a vector, an older process too, the scope is that of its memory.
CREATE FUNCTION holdfast.place_meaning() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  SELECT holdfast.scope_of(m.kind, m.owner) INTO NEW.scope FROM holdfast.memory m
    WHERE m.organisation = NEW.organisation AND m.id = NEW.memory AND m.team = NEW.team;
  IF NEW.scope IS NULL THEN
    RAISE insufficient_privilege USING MESSAGE = 'a vector is of a memory of its own team';
  END IF;
  RETURN NEW;
END $$;

SELECT holdfast.add_partitions();
INSERT INTO holdfast.posting SELECT m.organisation, m.team, p.stem, m.id, holdfast.scope_of(m.kind, m.owner), p.rank
  FROM holdfast.memory m, holdfast.postings_of(m.words) p;
UPDATE holdfast.meaning v SET scope = holdfast.scope_of(m.kind, m.owner) FROM holdfast.memory m
  WHERE m.organisation = v.organisation AND m.id = v.memory;

CREATE TRIGGER keep_postings AFTER INSERT OR UPDATE OR DELETE ON holdfast.memory
  FOR EACH ROW EXECUTE FUNCTION holdfast.keep_postings();
CREATE TRIGGER place_meaning BEFORE INSERT ON holdfast.meaning
  FOR EACH ROW EXECUTE FUNCTION holdfast.place_meaning();

-- Whom a token stands for, and in which teams they are, in one step; it says nothing of a token that does not hold.
CREATE FUNCTION holdfast.sign_in(given text)
  RETURNS TABLE (organisation text, person text, name text, rights text[], teams text[], roles text[])
  STABLE LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY SELECT t.organisation_name, t.person_name, t.name, t.rights, coalesce(its.teams, '{}'),
    coalesce(its.roles, '{}')
  FROM holdfast.token t CROSS JOIN LATERAL (
    SELECT array_agg(one.name ORDER BY one.name) AS teams, array_agg(m.role::text ORDER BY one.name) AS roles
    FROM holdfast.member m JOIN holdfast.team one ON one.organisation = m.organisation AND one.id = m.team
    WHERE m.organisation = t.organisation AND m.person = t.person) its
  WHERE t.digest = given AND t.expires > now();
END $$;
REVOKE ALL ON FUNCTION holdfast.sign_in(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION holdfast.sign_in(text) TO holdfast_app;
