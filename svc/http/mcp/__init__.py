"""The MCP door: the tools as clients of the Model Context Protocol find and call them."""
