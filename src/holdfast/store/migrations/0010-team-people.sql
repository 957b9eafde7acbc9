-- The rule and the people of a team, for its admins: row-level security shows everybody themselves alone.

CREATE FUNCTION holdfast.team_people(named text) RETURNS TABLE (rule text, own_review boolean, person text, role text)
  STABLE LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  which int := holdfast.administered(named);
BEGIN
  RETURN QUERY SELECT t.rule, t.own_review, p.name, m.role::text FROM holdfast.team t
    LEFT JOIN holdfast.member m ON m.organisation = t.organisation AND m.team = t.id
    LEFT JOIN holdfast.person p ON p.organisation = m.organisation AND p.id = m.person
    WHERE t.organisation = holdfast.my_organisation() AND t.id = which ORDER BY p.name;
END $$;

REVOKE ALL ON FUNCTION holdfast.team_people(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION holdfast.team_people(text) TO holdfast_app;
