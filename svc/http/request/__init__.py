"""Parts of requests that more than one door reads."""
