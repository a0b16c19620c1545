"""svc: a self-hosted business platform's developer interface in one process."""
