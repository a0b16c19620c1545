#!/bin/sh
# Installs nginx and Caddy, the reverse proxies, where the tests need them and may: as root on Debian or Ubuntu. Never
# fails; the tests themselves say what they skip without one.
if command -v nginx >/dev/null 2>&1 && command -v caddy >/dev/null 2>&1; then
    exit 0
fi

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "nginx or caddy is missing: its part of tests/release/test_proxies.py is skipped. Install it to run it." >&2
    exit 0
fi

echo "Installing nginx and caddy for tests/release/test_proxies.py"
log=$(mktemp)
export DEBIAN_FRONTEND=noninteractive
export RUNLEVEL=1 # so that neither is started: the tests run their own
if apt-get update >"$log" 2>&1 && apt-get install -y --no-install-recommends nginx caddy >>"$log" 2>&1; then
    echo "nginx and caddy are installed"
else
    tail -n 5 "$log" >&2
    echo "nginx or caddy could not be installed: tests/release/test_proxies.py is skipped for it." >&2
fi
rm -f "$log"
