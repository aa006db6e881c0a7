#!/usr/bin/env bash
# Runs a Python test under the first Python that has NumPy: the one on the path, or the system's, which Debian's
# python3-numpy and python3-torch are installed for. What a peer is needed for is skipped where there is none.
#
#   with_numpy.sh SCRIPT.py ARGUMENT...
set -euo pipefail

chosen=python3
for python in python3 /usr/bin/python3; do
    if "$python" -c 'import numpy' 2>/dev/null; then
        chosen=$python
        break
    fi
done
export PYTHONDONTWRITEBYTECODE=1
exec "$chosen" "$@"
