#!/usr/bin/env bash
# The standard's own suite, at a pinned commit and as it is: fetched where the network lets it be, else skipped: with a word, and
# 77 for an exit status.
# ARRAY_API_TESTS names a folder with a clone of it.
#
#   array_api.sh PYTHON PYTEST_OPTION...
set -euo pipefail
cd "$(dirname "$0")/../.."

python=$1
shift
commit=55fcc60179efa2680ddd6cd926ddf17b83530e2b
home=https://github.com/data-apis/array-api-tests
clone=${ARRAY_API_TESTS:-$PWD/build/array-api-tests}
if [ ! -e "$clone/array_api_tests" ]; then
    rm -rf "$clone"
    if ! timeout 120 git clone --quiet "$home" "$clone" 2>/dev/null ||
        ! git -C "$clone" -c advice.detachedHead=false checkout --quiet "$commit" ||
        ! timeout 120 git -C "$clone" submodule --quiet update --init --depth 1; then
        rm -rf "$clone"
        echo "array-api-tests: skipped, $home cannot be reached"
        exit 77
    fi
fi
found=$(git -C "$clone" rev-parse HEAD)
if [ "$found" != "$commit" ]; then
    echo "array-api-tests: $clone is at $found, not at $commit" >&2
    exit 1
fi
"$python" -m pip install --quiet --disable-pip-version-check -r "$clone/requirements.txt"
cd "$clone"
ARRAY_API_TESTS_MODULE=zerocast ARRAY_API_TESTS_VERSION=2025.12 exec "$python" -m pytest -q -p no:cacheprovider \
    --xfails-file "$OLDPWD/tests/python/array_api_xfails.txt" --disable-extension linalg --disable-extension fft \
    --max-examples "${EXAMPLES:-200}" array_api_tests "$@"
