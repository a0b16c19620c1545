#!/bin/sh
# Installs pebble, the ACME server of Let's Encrypt for tests, where the tests need it and may: as root on Debian or Ubuntu. Never fails;
# the tests themselves say what they skip without it.
if command -v pebble >/dev/null 2>&1; then
    exit 0
fi

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "No pebble found: the tests of certificates against it are skipped. Install it to run it." >&2
    exit 0
fi

echo "Installing pebble for the tests of certificates"
log=$(mktemp)
export DEBIAN_FRONTEND=noninteractive
if apt-get update >"$log" 2>&1 && apt-get install -y --no-install-recommends pebble >>"$log" 2>&1; then
    echo "pebble is installed"
else
    tail -n 5 "$log" >&2
    echo "pebble could not be installed: the tests of certificates against it are skipped." >&2
fi
rm -f "$log"
