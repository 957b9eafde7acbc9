"""What is handed to an agent: memories in, a fenced block within its budget out, and the record of it."""
