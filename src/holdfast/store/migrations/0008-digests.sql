-- Figures of sessions that people chose to share, and what may be told of them: of groups, never of one person.
--
-- A person sees, adds and takes back their own rows. Anybody else gets what `figures_over` and `signals_over` tell, which
-- say nothing of a group smaller than `least_group` of the organisation. docs/hub.md says what that does not protect.

ALTER TABLE holdfast.organisation ADD COLUMN least_group int NOT NULL DEFAULT 5 CHECK (least_group >= 3);

-- `session` is a digest, so that the same session again takes the place of what was told of it.
CREATE TABLE holdfast.shared_digest (
  organisation int NOT NULL,
  team int NOT NULL,
  person text NOT NULL,
  session text NOT NULL,
  week date NOT NULL,
  project text NOT NULL,
  agent text NOT NULL,
  outcome text NOT NULL,
  asks int NOT NULL CHECK (asks >= 0),
  calls int NOT NULL CHECK (calls >= 0),
  failed_calls int NOT NULL CHECK (failed_calls >= 0),
  minutes int NOT NULL CHECK (minutes >= 0),
  tokens bigint NOT NULL CHECK (tokens >= 0),
  dollars double precision NOT NULL CHECK (dollars >= 0),
  PRIMARY KEY (organisation, team, person, session)
) PARTITION BY LIST (organisation);

CREATE TABLE holdfast.shared_signal (
  organisation int NOT NULL,
  team int NOT NULL,
  person text NOT NULL,
  session text NOT NULL,
  kind text NOT NULL,
  signature text NOT NULL CHECK (length(signature) <= 300),
  PRIMARY KEY (organisation, team, person, session, kind, signature),
  FOREIGN KEY (organisation, team, person, session) REFERENCES holdfast.shared_digest ON DELETE CASCADE
) PARTITION BY LIST (organisation);

SELECT holdfast.protect(name, 'SELECT, INSERT, DELETE') FROM unnest('{shared_digest,shared_signal}'::text[]) name;
DO $$
DECLARE
  which text;
  mine text := 'organisation = (SELECT holdfast.my_organisation()) AND person = current_setting(''holdfast.person'', true)';
BEGIN
  FOREACH which IN ARRAY '{shared_digest,shared_signal}'::text[] LOOP
    EXECUTE format('CREATE POLICY seen ON holdfast.%I FOR SELECT TO holdfast_app USING (%s)', which, mine);
    EXECUTE format('CREATE POLICY removed ON holdfast.%I FOR DELETE TO holdfast_app USING (%s)', which, mine);
    EXECUTE format('CREATE POLICY added ON holdfast.%I FOR INSERT TO holdfast_app WITH CHECK (%s'
      ' AND team = ANY ((SELECT holdfast.my_teams(''reader''))::int[]))', which, mine);
  END LOOP;
END $$;

-- Two digits of a figure, so that one more person cannot be told from the difference.
CREATE FUNCTION holdfast.two_digits(figure double precision) RETURNS double precision IMMUTABLE LANGUAGE sql AS $$
  SELECT CASE WHEN figure = 0 THEN 0
    ELSE round(figure::numeric, 1 - floor(log(abs(figure)))::int)::double precision END $$;

CREATE FUNCTION holdfast.readable_team(named text) RETURNS int
  STABLE LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  found_team int := (SELECT id FROM holdfast.team WHERE organisation = holdfast.my_organisation() AND name = named);
BEGIN
  IF found_team IS NULL OR found_team <> ALL (holdfast.my_teams('reader')) THEN
    PERFORM holdfast.refuse('HF404', format('you are in no team %s', named));
  END IF;
  RETURN found_team;
END $$;
REVOKE ALL ON FUNCTION holdfast.readable_team(text) FROM PUBLIC;

-- The means of a group: each person counts once, by their own mean. Only weeks that are over count, so that nobody
-- watches figures grow. How many there are is told in steps of the least group, and no sum of all groups is told.
CREATE FUNCTION holdfast.figures_over(named text, by text)
  RETURNS TABLE (value text, people int, asks double precision, calls double precision, failed double precision,
    minutes double precision, tokens double precision, dollars double precision, succeeded double precision)
  STABLE LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  which int := holdfast.readable_team(named);
  here int := holdfast.my_organisation();
  least_people int := (SELECT o.least_group FROM holdfast.organisation o WHERE o.id = here);
BEGIN
  IF by IS NULL OR by NOT IN ('agent', 'project', 'week') THEN
    PERFORM holdfast.refuse('HF422', 'figures are by agent, project or week');
  END IF;
  RETURN QUERY WITH own AS (
    SELECT CASE by WHEN 'agent' THEN d.agent WHEN 'project' THEN d.project ELSE d.week::text END AS its,
      d.person AS whose, avg(d.asks) AS asks, avg(d.calls) AS calls, avg(d.failed_calls) AS failed,
      avg(d.minutes) AS minutes, avg(d.tokens) AS tokens, avg(d.dollars) AS dollars,
      avg((d.outcome = 'success')::int) AS succeeded
    FROM holdfast.shared_digest d
    WHERE d.organisation = here AND d.team = which AND d.week < date_trunc('week', now())::date
    GROUP BY 1, 2)
  SELECT own.its, (count(*) / least_people * least_people)::int, holdfast.two_digits(avg(own.asks)::float8),
    holdfast.two_digits(avg(own.calls)::float8), holdfast.two_digits(avg(own.failed)::float8),
    holdfast.two_digits(avg(own.minutes)::float8), holdfast.two_digits(avg(own.tokens)::float8),
    holdfast.two_digits(avg(own.dollars)::float8), holdfast.two_digits(avg(own.succeeded)::float8)
  FROM own GROUP BY 1 HAVING count(*) >= least_people ORDER BY 1;
END $$;

-- What recurs over people: the same signal in the sessions of at least so many.
CREATE FUNCTION holdfast.signals_over(named text) RETURNS TABLE (kind text, signature text, people int)
  STABLE LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  which int := holdfast.readable_team(named);
  here int := holdfast.my_organisation();
  least_people int := (SELECT o.least_group FROM holdfast.organisation o WHERE o.id = here);
BEGIN
  RETURN QUERY SELECT s.kind, s.signature, (count(DISTINCT s.person) / least_people * least_people)::int
    FROM holdfast.shared_signal s JOIN holdfast.shared_digest d USING (organisation, team, person, session)
    WHERE s.organisation = here AND s.team = which AND d.week < date_trunc('week', now())::date
    GROUP BY 1, 2 HAVING count(DISTINCT s.person) >= least_people ORDER BY 3 DESC, 1, 2 LIMIT 100;
END $$;

REVOKE ALL ON FUNCTION holdfast.figures_over(text, text), holdfast.signals_over(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION holdfast.figures_over(text, text), holdfast.signals_over(text) TO holdfast_app;
