"""What a person said that lasts, judged behind the session: facts go into the log, what may last is proposed."""
