#!/usr/bin/env bash
# Other projects' suites, which come in their wheels, with zerocast for their array library: in a virtual environment of their
# own, build/suites, with the versions of suites/requirements.txt. Exits with 77 where PyPI cannot be reached.
#
#   suites.sh PYTHON [--sample] [NAME...] [-- PYTEST_OPTION...]
set -euo pipefail
cd "$(dirname "$0")/../.."

python=$1
shift
folder=build/suites
requirements=tests/python/suites/requirements.txt
mark="$("$python" --version) $(cat $requirements)"
if [ "$(cat $folder/mark 2>/dev/null)" != "$mark" ]; then
    rm -rf $folder
    "$python" -m venv $folder
    if ! $folder/bin/pip install --quiet --disable-pip-version-check --retries 1 -r $requirements; then
        # Tells a failure of the network from others, with which one package alone can be had.
        if $folder/bin/pip download --quiet --disable-pip-version-check --retries 1 --no-deps -d $folder/probe einops; then
            exit 1
        fi
        echo "suites: skipped, PyPI cannot be reached"
        exit 77
    fi
    echo "$mark" >$folder/mark
fi
rm -rf $folder/wheel
"$python" -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps -Cbuild-dir=build/python-build \
    -w $folder/wheel .
$folder/bin/pip install --quiet --disable-pip-version-check --no-deps --force-reinstall $folder/wheel/*.whl
PYTHONPATH=tests/python exec $folder/bin/python -m suites "$@"
