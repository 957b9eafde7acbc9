-- The index by scope finds all that this one found.

DROP INDEX holdfast.meaning_organisation_team_model_idx;
