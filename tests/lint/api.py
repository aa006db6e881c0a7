"""What zerocast.h exports, read from its text: the lint and the export test compare with it."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADER = ROOT / "include" / "zerocast.h"


def without_comments(text):
    """C text with comments blanked; line breaks stay, so line numbers do."""
    return re.sub(r"/\*.*?\*/|//[^\n]*", lambda match: re.sub(r"[^\n]", " ", match.group()), text, flags=re.S)


def public_functions(text=None):
    """The names declared with ZC_API, sorted."""
    code = without_comments(HEADER.read_text() if text is None else text)
    code = re.sub(r"^[ \t]*#(?:.*\\\n)*.*", "", code, flags=re.M)
    return sorted(re.findall(r"\bZC_API\b[^;(]*?\b(\w+)\s*\(", code))
