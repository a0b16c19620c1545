"""`python -m svc` is the same program as `svc`."""

from svc.cli import main

main()
