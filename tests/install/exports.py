"""libzerocast.so exports exactly the functions that zerocast.h declares with ZC_API.

    exports.py libzerocast.so
"""

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lint"))
from api import public_functions  # noqa: E402 (the path comes first)


def main(library):
    table = subprocess.run(
        ["nm", "-D", "--defined-only", "--format=posix", library], check=True, capture_output=True, text=True
    ).stdout
    exported = {line.split()[0] for line in table.splitlines()}
    declared = set(public_functions())
    for name in sorted(declared - exported):
        print(f"declared in zerocast.h but not exported: {name}")
    for name in sorted(exported - declared):
        print(f"exported but not declared in zerocast.h: {name}")
    print(f"{len(exported & declared)} functions are declared and exported")
    return exported != declared


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
