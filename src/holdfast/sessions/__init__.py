"""Sessions of any agent, as one kind of record: the digest that outlives the transcript, and what it is made of."""
