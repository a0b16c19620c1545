"""The commands of `svc`."""
