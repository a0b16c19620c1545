"""`python -m svc`, which is the program `svc`."""

from svc.cli import main

main()
