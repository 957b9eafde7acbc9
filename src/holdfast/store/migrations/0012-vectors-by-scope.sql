-- Of a team's vectors, only those of the scopes that are asked for are read. Meanwhile whoever reads goes on.

CREATE INDEX meaning_by_scope ON holdfast.meaning (organisation, team, model, scope);
