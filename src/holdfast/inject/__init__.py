"""Room: what is handed to an agent. Memories in, a fenced block within its budget out, and the record of it."""
