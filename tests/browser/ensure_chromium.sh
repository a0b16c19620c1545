#!/bin/sh
# Installs Chromium where the tests need it and may: as root on Debian or Ubuntu. Never fails; the tests
# themselves say what they skip without a browser. Preferred is the one without windows of its own, which opens a
# page in a third of the time; where there is no such package, any Chromium does.
has() {
    for name in "$@"; do
        if command -v "$name" >/dev/null 2>&1; then
            return 0
        fi
    done
    return 1
}

if has chromium-headless-shell; then
    exit 0
fi

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    has chromium chromium-browser google-chrome ||
        echo "No Chromium found: the tests in tests/browser are skipped. Install it to run them." >&2
    exit 0
fi

echo "Installing Chromium for the tests in tests/browser"
log=$(mktemp)
export DEBIAN_FRONTEND=noninteractive
install() {
    apt-get install -y --no-install-recommends "$1" >>"$log" 2>&1
}

apt-get update >"$log" 2>&1
if install chromium-headless-shell || has chromium chromium-browser google-chrome || install chromium; then
    echo "Chromium is installed"
else
    tail -n 5 "$log" >&2
    echo "Chromium could not be installed: the tests in tests/browser are skipped." >&2
fi
rm -f "$log"
