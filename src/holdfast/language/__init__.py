"""What is known of shell lines, commands, tools and failures: one parser and one table of each, for every feature."""
