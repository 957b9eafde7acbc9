"""Command line, hook and MCP server: options, printing and protocols. Nothing here decides anything."""
