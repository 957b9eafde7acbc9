-- `decide` runs as the operator, whom no rule for the application binds: also where the operator is a member of
-- holdfast_app, as whoever made that role and granted it to them may have done. There an approval was refused, or said
-- that it was done and changed nothing.

ALTER POLICY unreviewed_added ON holdfast.memory
  WITH CHECK (current_user = (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = 'holdfast.memory'::regclass)
    OR team <> ALL ((SELECT holdfast.reviewed_teams())::int[]));
ALTER POLICY unreviewed_changed ON holdfast.memory
  USING (current_user = (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = 'holdfast.memory'::regclass)
    OR team <> ALL ((SELECT holdfast.reviewed_teams())::int[]));
