"""`svc import` and `svc export`."""
