"""The page, the REST interface and MCP over HTTP: one process on loopback, started by the person."""
