"""`python -m bench [NAME…]`: run every bench, or those named, and print their figures."""

import sys
from importlib import import_module
from typing import Final

NAMES: Final = (
    "store",
    "actors",
    "forms",
    "memory",
    "start",
    "crash",
    "records",
    "imports",
    "tools",
    "mcp",
    "tokens",
    "embeds",
    "channels",
    "outgoing",
    "gateway",
    "gateway_streams",
    "workflows",
    "events",
    "workflow_kills",
    "postgres",
    "postgres_kills",
    "agent",
    "screens",
    "scrolling",
    "home",
    "abuse",
)


def main(asked: list[str]) -> None:
    """Run the benches *asked* for, in the order of `NAMES`; all of them when none is named."""
    if unknown := set(asked) - set(NAMES):
        sys.exit(f"no such bench: {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    for name in NAMES:
        if not asked or name in asked:
            print(f"\n== {name} ==", flush=True)
            import_module(f"bench.{name}").main()


if __name__ == "__main__":
    main(sys.argv[1:])
