"""Front: the MCP server. Only `holdfast mcp` loads it, because the SDK takes longer to load than all of ours."""
