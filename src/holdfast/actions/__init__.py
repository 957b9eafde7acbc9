"""The corridor: one file for each thing that a person can do, named after the command. Start reading here."""
