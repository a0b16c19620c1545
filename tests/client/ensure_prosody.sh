#!/bin/sh
# Installs prosody, the XMPP server, where the tests need it and may: as root on Debian or Ubuntu. Never fails;
# the tests themselves say what they skip without it.
if command -v prosody >/dev/null 2>&1; then
    exit 0
fi

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "No prosody found: tests/client/test_xmpp.py is skipped. Install it to run it." >&2
    exit 0
fi

echo "Installing prosody for tests/client/test_xmpp.py"
log=$(mktemp)
export DEBIAN_FRONTEND=noninteractive
export RUNLEVEL=1 # so that it is not started: the tests run one of their own
if apt-get update >"$log" 2>&1 && apt-get install -y --no-install-recommends prosody >>"$log" 2>&1; then
    echo "prosody is installed"
else
    tail -n 5 "$log" >&2
    echo "prosody could not be installed: tests/client/test_xmpp.py is skipped." >&2
fi
rm -f "$log"
