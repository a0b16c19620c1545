#!/bin/sh
# Installs Chromium where the tests need it and may: as root on Debian or Ubuntu. Never fails; the tests
# themselves say what they skip without a browser.
for name in chromium chromium-browser google-chrome; do
    if command -v "$name" >/dev/null 2>&1; then
        exit 0
    fi
done

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "No Chromium found: the tests in tests/browser are skipped. Install it to run them." >&2
    exit 0
fi

echo "Installing Chromium for the tests in tests/browser"
log=$(mktemp)
export DEBIAN_FRONTEND=noninteractive
if apt-get update >"$log" 2>&1 && apt-get install -y --no-install-recommends chromium >>"$log" 2>&1; then
    echo "Chromium is installed"
else
    tail -n 5 "$log" >&2
    echo "Chromium could not be installed: the tests in tests/browser are skipped." >&2
fi
rm -f "$log"
