"""The tools of tools that find tools."""
