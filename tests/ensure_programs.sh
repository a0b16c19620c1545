#!/bin/sh
# Installs programs of others where the tests need them and may: as root on Debian or Ubuntu. Never fails; the
# tests themselves say what they skip without one.
export DEBIAN_FRONTEND=noninteractive
export RUNLEVEL=1 # so that no server is started: the tests run their own
log=$(mktemp)

# ensure PACKAGE TESTS [OTHER_NAME…]: the program is called as the package, or by another name.
ensure() {
    package=$1 tests=$2
    shift 2
    for name in "$package" "$@"; do
        if command -v "$name" >/dev/null 2>&1; then
            return
        fi
    done
    if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; then
        echo "No $package found: $tests skips what needs it. Install it to run it." >&2
        return
    fi
    echo "Installing $package for $tests"
    if [ ! -s "$log" ]; then
        apt-get update >"$log" 2>&1
    fi
    if apt-get install -y --no-install-recommends "$package" >>"$log" 2>&1; then
        echo "$package is installed"
    else
        tail -n 5 "$log" >&2
        echo "$package could not be installed: $tests skips what needs it." >&2
    fi
}

# Chromium's headless shell opens a page in half the time; where there is none, any Chromium does.
if [ "$(id -u)" -eq 0 ]; then
    ensure chromium-headless-shell tests/browser
fi
ensure chromium tests/browser chromium-headless-shell chromium-browser google-chrome
ensure prosody tests/client/test_xmpp.py
ensure pebble tests/actors/certificates/test_acme_order.py
ensure nginx tests/release/test_proxies.py
ensure postgresql "what is asked of PostgreSQL" initdb pg_createcluster
ensure caddy tests/release/test_proxies.py
rm -f "$log"
