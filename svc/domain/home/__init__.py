"""Home: what waits in an organization, how it goes, and what was just done."""
