"""The adapters: the contract as a suite, one file for each agent, and how their config files are edited."""
