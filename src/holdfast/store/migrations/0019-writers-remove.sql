-- Whoever reads adds vectors and counts uses, as recalls do. By raw SQL they also took those of others away: a team's
-- memories were then found by words alone, or expired as if nobody had used them. Only who writes to a team removes.
DO $$
DECLARE
  which text;
BEGIN
  FOREACH which IN ARRAY '{meaning,passage_meaning,use}'::text[] LOOP
    EXECUTE format('ALTER POLICY removed ON holdfast.%I USING (organisation = (SELECT holdfast.my_organisation())'
      ' AND team = ANY ((SELECT holdfast.my_teams(''writer''))::int[]))', which);
  END LOOP;
END $$;
