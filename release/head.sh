#!/bin/sh
# svc @VERSION@: this script, and behind it the program with its interpreter, compressed, which the first start unpacks.
# Where to: the first of the places below that has room and where programs may be started; SVC_UNPACK_DIR names another.

tree=unpacked-svc-@VERSION@-@DIGEST@
needed_kb=@NEEDED_KB@
why=

# Only a directory of one's own is used: what others could write to would be run.
is_own() {
    [ -d "$1" ] && [ ! -L "$1" ] && [ -O "$1" ] && case $(ls -ld "$1") in d????-??-*) ;; *) false ;; esac
}

# Nor one below another user's, such as that user's home under "sudo -E", who could put another in its place.
# Owners from outside of a user namespace are all shown as $outside, so that is not held against a directory.
is_below_own() {
    above=$(readlink -m -- "$1")
    set --
    while [ -n "$above" ]; do
        above=${above%/*}
        if [ -d "$above/" ]; then set -- "$@" "$above/"; fi
    done
    ls -ldn "$@" | awk -v own="$uid" -v outside="$outside" '$3 != own && $3 != 0 && $3 != outside { exit 1 }'
}

# Programs that run hold a lock, so that a newer version can remove those that do not run any more.
remove_others() {
    for other in "$1"/unpacked-svc-*; do
        if [ "$other" != "$1/$tree" ] && [ -e "$other/complete" ]; then
            flock -n -x "$other/start.py" rm -rf "$other" 2>/dev/null || :
        fi
    done
}

unpack() {
    if ! is_below_own "$1"; then
        why="$why
  $1: it is below a directory of another user"
        return 1
    fi
    if ! mkdir -p -m 700 "$1" 2>/dev/null || ! is_own "$1" || [ ! -w "$1" ]; then
        why="$why
  $1: it cannot be made or written to, or others can write to it"
        return 1
    fi
    free_kb=$(df -Pk "$1" 2>/dev/null | awk 'END { print $4 }')
    if [ "${free_kb:-$needed_kb}" -lt $needed_kb ]; then
        why="$why
  $1: it needs $((needed_kb / 1024 + 1)) MB, and $((free_kb / 1024)) MB are free"
        return 1
    fi
    draft=$(mktemp -d "$1/.unpacking-XXXXXX") || return 1
    trap 'rm -rf "$draft"' EXIT
    trap 'exit 1' HUP INT TERM
    # gzip compares its checksum at the end, when tar may have all its files: each has to have succeeded.
    if ! { tail -n +@LINES@ "$0" | gzip -dc 2>/dev/null || : >"$draft/damaged"; } | tar -xf - -C "$draft" 2>/dev/null ||
        [ -e "$draft/damaged" ] || [ ! -e "$draft/complete" ]; then
        rm -rf "$draft"
        why="$why
  $1: it became full while unpacking, or this file is damaged (it should have @BYTES@ bytes)"
        return 1
    fi
    if ! said=$(LD_LIBRARY_PATH="$draft/lib" "$draft/bin/python3" -I -S -c '' 2>&1); then
        rm -rf "$draft"
        why="$why
  $1: programs cannot be started there, or this system is not Linux on @MACHINE@ with glibc @GLIBC@ or newer: $said"
        return 1
    fi
    sync "$draft/start.py" 2>/dev/null
    sync -f "$draft" 2>/dev/null || sync
    # Another start may have been faster; its files are the same.
    mv -T "$draft" "$1/$tree" 2>/dev/null || rm -rf "$draft"
    trap - EXIT HUP INT TERM
    remove_others "$1"
    [ -e "$1/$tree/complete" ]
}

run() {
    place=$1/$tree
    shift
    exec 9<"$place/start.py"
    flock -s 9 2>/dev/null || :
    [ -e "$place/complete" ] || return 1 # removed just now
    LD_LIBRARY_PATH="$place/lib" exec "$place/bin/python3" -I -B "$place/start.py" "$0" "$@"
}

uid=$(id -u)
outside=
if [ -r /proc/sys/kernel/overflowuid ]; then read -r outside </proc/sys/kernel/overflowuid; fi
if [ -n "$SVC_UNPACK_DIR" ]; then
    places=$SVC_UNPACK_DIR
else
    places="${CACHE_DIRECTORY:+$CACHE_DIRECTORY/program
}${XDG_CACHE_HOME:+$XDG_CACHE_HOME/svc
}${HOME:+$HOME/.cache/svc
}/var/cache/svc-$uid
/var/tmp/svc-$uid
${TMPDIR:-/tmp}/svc-$uid"
fi

IFS='
'
set -f
for place in $places; do
    if is_own "$place" && is_below_own "$place" && [ -e "$place/$tree/complete" ]; then
        run "$place" "$@"
    fi
done
for place in $places; do
    set +f
    unpack "$place" && run "$place" "$@"
    set -f
done
echo "svc: there is no place to unpack the program into:$why
Make room, or name a directory in the environment variable SVC_UNPACK_DIR." >&2
exit 1
