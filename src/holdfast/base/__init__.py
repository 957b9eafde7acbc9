"""What everything else stands on, one of each: durable files, row files, the clock, texts, light records and JSON."""
