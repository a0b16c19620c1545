#!/bin/sh
# The interpreter of the directory above this file, with nothing of this machine's Python: what `sys.executable` names.
here=$(dirname "$(dirname "$(readlink -f "$0")")")
LD_LIBRARY_PATH="$here/lib" exec "$here/bin/python3" -I -B "$@"
