#!/usr/bin/env bash
# Installs the package into a virtual environment of its own, build/python, as a user would, and runs its tests there; with
# "array-api" the standard's suite (array_api.sh), with "suites" other projects' (suites.sh), with "figures" how long things
# take beside NumPy (figures.py), with "loops" loops that read and write a little in each step (bench/loops.py). With "wheels"
# it builds wheels and tests them as installed (wheels.sh). PYTHON names another interpreter.
set -euo pipefail
cd "$(dirname "$0")/../.."

if [ "${1:-}" = wheels ]; then
    exec tests/python/wheels.sh
fi

python=${PYTHON:-python3}
folder=build/python
requirements=$("$python" - <<'TEXT'
import tomllib
project = tomllib.load(open("pyproject.toml", "rb"))
print(*project["build-system"]["requires"], *project["project"]["optional-dependencies"]["test"], sep="\n")
TEXT
)
mark="$("$python" --version) $requirements"
if [ "$(cat "$folder/mark" 2>/dev/null)" != "$mark" ]; then
    rm -rf "$folder"
    "$python" -m venv "$folder"
    mapfile -t names <<<"$requirements"
    "$folder/bin/pip" install --quiet --disable-pip-version-check "${names[@]}"
    echo "$mark" >"$folder/mark"
fi

# The build folder is kept, so that a second build compiles what changed.
"$folder/bin/pip" install --quiet --disable-pip-version-check --no-build-isolation --no-deps --force-reinstall \
    -Cbuild-dir=build/python-build . || exit 1
"$folder/bin/python" -c 'import zerocast as zc; print("zerocast", zc.__version__, "of", zc.__file__)'

if [ "${1:-}" = figures ]; then
    shift
    exec "$folder/bin/python" tests/python/figures.py "$@"
fi
if [ "${1:-}" = loops ]; then
    shift
    exec "$folder/bin/python" bench/loops.py "$@"
fi
if [ "${1:-}" = array-api ]; then
    shift
    exec tests/python/array_api.sh "$PWD/$folder/bin/python" "$@"
fi
if [ "${1:-}" = suites ]; then
    shift
    exec tests/python/suites.sh "$PWD/$folder/bin/python" "$@"
fi
"$folder/bin/python" -m ruff check python tests/python
"$folder/bin/python" -m mypy
exec "$folder/bin/python" -m pytest -q -p no:cacheprovider tests/python "$@"
