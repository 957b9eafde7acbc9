-- One person's figures that no session has stood for a whole group, or broke the mean of all: so much money, a week that
-- never ends or is no week, names as long as a text. What was shared before stays as it is.
ALTER TABLE holdfast.shared_digest ADD CONSTRAINT is_likely CHECK (
  asks <= 1000000 AND calls <= 1000000 AND failed_calls <= calls AND minutes <= 1000000 AND tokens <= 1000000000000
  AND dollars <= 1000000 AND isfinite(week) AND extract(isodow FROM week) = 1
  AND length(session) BETWEEN 1 AND 64 AND length(project) <= 300 AND length(agent) <= 60 AND length(outcome) <= 60
) NOT VALID;
