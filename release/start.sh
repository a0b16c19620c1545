#!/bin/sh
# Runs the program from the directory of this file, wherever that is and from wherever it is linked.
here=$(dirname "$(readlink -f "$0")")
LD_LIBRARY_PATH="$here/lib" exec "$here/bin/python3" -I -B "$here/start.py" "$0" "$@"
