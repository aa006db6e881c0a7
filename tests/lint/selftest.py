"""The lint's own test: for every rule, code that breaks it and near misses that do not."""

import floors
from api import public_functions
from lint import LONG_FILE, RULES, Source, folder_sizes, functions, own_headers, recursion, untested_functions

HEAD = "/* Purpose. */\n"
LONG_FUNCTION = "static int f(int a)\n{\n" + "    a++;\n" * 58 + "}\n"
ARRAY = "static const int table[] = {\n" + "    1,\n" * 90 + "};\n"

# (rule, path, text, whether the rule finds something)
CASES = [
    ("layering", "views/a.c", HEAD + '#include "runtime/memory/heap.h"\n', True),
    ("layering", "views/a.c", HEAD + '#include "shape.h"\n', True),
    ("layering", "views/a.c", HEAD + '#include "math/ranges.h"\n', True),
    ("layering", "math/a.h", HEAD + '#include "zerocast.h"\n', True),
    ("layering", "runtime/a.c", HEAD + '#include "math/ranges.h"\n', False),
    ("layering", "examples/a.c", HEAD + '#include "views/shape.h"\n', True),
    ("layering", "tests/api/a.c", HEAD + '#include "views/shape.h"\n', True),
    ("layering", "tests/views/a.c", HEAD + '#include "views/shape.h"\n#include "tests/support/zc_test.h"\n', False),
    ("layering", "runtime/a.c", HEAD + '#include <stdio.h>\n#include "views/shape.h"\n#include "zerocast.h"\n', False),
    ("layering", "expressions/a.def", HEAD + '#include "runtime/ops/ops.def"\n', False),
    ("layering", "tools/a.c", HEAD + '#include "runtime/ops/ops.h"\n', True),
    ("layering", "tools/a.c", HEAD + '#include "math/decimal/digits.h"\n', False),
    ("layering", "python/a.c", HEAD + '#include "math/decimal/digits.h"\n', True),
    ("layering", "views/a.c", HEAD + '/* #include "runtime/memory/heap.h" */\n', False),
    ("head_comment", "views/a.c", "int x;\n", True),
    ("head_comment", "views/a.c", '#include "views/b.h"\n', True),
    ("head_comment", "views/a.c", HEAD, False),
    ("head_comment", "views/a.c", '#include "views/a.h"\n', False),
    ("file_length", "views/a.c", HEAD + "int x;\n" * 500, True),
    ("file_length", "views/a.c", HEAD + "int x;\n" * 499, False),
    ("file_length", "views/a.c", f"/* {LONG_FILE} it is a table. */\n" + "int x;\n" * 500, False),
    ("function_length", "views/a.c", HEAD + LONG_FUNCTION, True),
    ("function_length", "views/a.c", HEAD + LONG_FUNCTION.replace("    a++;\n", "", 1), False),
    ("function_length", "views/a.c", HEAD + ARRAY + ARRAY.replace("[] =", "[(90)] ="), False),
    ("forbidden_words", "runtime/a.c", "abort();\n", True),
    ("forbidden_words", "runtime/a.c", "fprintf (stderr, s);\n", True),
    ("forbidden_words", "runtime/a.c", "free(p);\n", True),
    ("forbidden_words", "runtime/a.c", "if (errno == EINTR)\n", True),
    ("forbidden_words", "materialize/files/mapped_file.c", "if (errno == EINTR)\nfree(realpath(a, NULL));\n", False),
    ("forbidden_words", "materialize/files/mapped_file.c", "p = malloc(n);\n", True),
    ("forbidden_words", "runtime/memory/allocator.c", "free(p);\n", False),
    ("forbidden_words", "runtime/a.c", 'snprintf(s, n, "abort(%d)", zc_exit(a)); /* exit(1) */\nzc_text_free(t);\n', False),
    ("forbidden_words", "tools/command/main.c", "exit(1);\n", False),
    ("left_open", "views/a.c", "/* TO" "DO */\n", True),
    ("left_open", "README.md", "see /ho" "me/somebody/zerocast\n", True),
    ("left_open", "README.md", "see docs/work/plan and https://example.org/home\n", False),
    ("raw_products", "views/view.c", "size = shape[i] * size;\n", True),
    ("raw_products", "views/view.c", "size *= view->shape[i];\n", True),
    ("raw_products", "views/view.c", "n = (v->shape[i] - 1) * v->stride[i];\n", True),
    ("raw_products", "views/view.c", "size = shape[i] * size; /* proven: both are axes' sizes below 64 */\n", False),
    ("raw_products", "views/view.c", "const int64_t *stride[4]; /* shape[i] * 2 */\nmove(&shape[i], *stride);\n", False),
    ("raw_products", "views/shape.c", "size = shape[i] * size;\n", False),
    ("exclusions", "views/a.c", "return; /* LCOV_EXCL_LINE */\n", True),
    ("exclusions", "views/a.c", "/* LCOV_EXCL_BR_LINE: the plan was verified */\n/* LCOV_EXCL_STOP */\n", False),
    ("macro_length", "views/a.h", "#define A(x) \\\n" + "    x; \\\n" * 10 + "    x\n", True),
    ("macro_length", "tests/views/a.def", "#  define A(x) \\\n" + "    x; \\\n" * 10 + "    x\n", True),
    ("macro_length", "views/a.h", "#define A(x) \\\n" + "    x; \\\n" * 9 + "    x\nint a;\n#define B\n", False),
    ("intrinsics", "materialize/kernels/elements/move.c", "#include <immintrin.h>\n", True),
    ("intrinsics", "tools/a.c", "    _mm_sfence();\n", True),
    ("intrinsics", "runtime/a.c", "    __builtin_ia32_pause();\n", True),
    ("intrinsics", "runtime/a.c", "static __m256 v;\n", True),
    ("intrinsics", "materialize/kernels/arch_x86.h", "#include <immintrin.h>\n    _mm_sfence();\n", False),
    ("intrinsics", "materialize/kernels/sort/arch_x86_keys.h", "#include <immintrin.h>\n", False),
    ("retired_words", "tools/a.c", "    zc_watch_begin(w);\n", True),
    ("retired_words", "tools/a.c", "static bool check(int a)\n", True),
    ("retired_words", "tools/a.c", "static bool check_axes(int a)\n/* zc_watch */\n", False),
    ("retired_words", "runtime/gradient/a.c", "static bool check(int a)\n", True),
    ("intrinsics", "runtime/a.c", "/* _mm_sfence(); */\nx_mm_y = __builtin_expect(a, 1);\n", False),
]

# (files, the functions that recurse)
RECURSIONS = [
    ({"views/a.c": "int f(int a)\n{\n    return f(a - 1);\n}\n"}, ["f"]),
    ({"views/a.c": "int f(int a)\n{\n    return f(a - 1); /* recursion: once */\n}\n"}, []),
    ({"views/a.c": "int f(int a)\n{\n    return g(a);\n}\n", "runtime/b.c": "int g(int a)\n{\n    return f(a);\n}\n"}, ["f", "g"]),
    ({"views/a.c": "static int f(int a)\n{\n    return zc_g(a);\n}\n", "runtime/b.c": "int zc_g(int a)\n{\n    return f(a);\n}\n"}, []),
    ({"views/a.c": "int f(struct s *a)\n{\n    return a->f(1) + a->b.f(2);\n}\n"}, []),
    ({"tests/a.c": "int f(int a)\n{\n    return f(a - 1);\n}\n"}, []),
]

# (files, whether a function of the first is declared in the wrong place)
HEADERS = [
    ({"views/a.c": "int zc_a(void)\n{\n}\n", "views/b.h": "int zc_a(void);\n"}, True),
    ({"views/a.c": '#include "views/a.h"\nint zc_a(void)\n{\n}\n', "views/a.h": "int zc_a(void);\n"}, False),
    ({"views/a.c": "int zc_a(void)\n{\n}\n", "views/a.h": "int zc_a(void);\n"}, True),
    ({"views/a.c": "static int zc_a(void)\n{\n}\nconst struct s zc_b = {zc_a};\n"}, False),
    ({"views/a.c": "zc_status zc_view_a(void)\n{\n}\n", "views/v.def": 'ZC_VIEW_OP(a, "a")\n'}, False),
    ({"views/a.c": "int zc_a(void)\n{\n}\n", "views/t.h": '#include "views/t.def"\nint zc_a(void);\n'}, False),
    ({"runtime/a.c": "zc_tensor *zc_public(void)\n{\n}\n"}, False),
    ({"tests/a.c": "int zc_a(void)\n{\n}\n"}, False),
    ({"runtime/record/take.c": "int zc_a(void)\n{\n}\n"}, True),
]

GUARDED = "#ifndef A_H\n#define A_H\n{}#endif\n"
DEFINED = "int zc_b(void)\n{\n    return 1;\n}\n"
ROWS = {"views/a.h": GUARDED.format('#define ZC_ROW(n) int zc_##n(void);\n#include "views/a.def"\n'), "views/a.def": "ZC_ROW(b)\n"}
TYPED = GUARDED.format("typedef int zc_f(void);\nzc_f zc_b;\n")
OBJECT = "extern const int zc_s;\n"

# (files, what is found: the beginnings of findings)
FLOORS = [
    # headers in circles
    ({"views/a.h": '#include "views/b.h"\n', "views/b.h": '#include "views/a.h"\n'}, ["views/a.h: includes itself", "views/b.h: includes itself"]),
    ({"views/a.h": '#include "views/b.h"\n', "views/b.h": "int a;\n"}, []),
    # folders in circles: of two, of three, of a folder and one inside of it
    ({"views/a.c": '#include "math/b.h"\n', "math/b.h": "", "math/c.c": '#include "views/d.h"\n', "views/d.h": ""}, ["math/c.c:1", "views/a.c:1"]),
    (
        {"a/a.c": '#include "b/b.h"\n', "b/b.h": "", "b/b.c": '#include "c/c.h"\n', "c/c.h": "", "c/c.c": '#include "a/a.h"\n', "a/a.h": ""},
        ["a/a.c:1", "b/b.c:1", "c/c.c:1"],
    ),
    ({"a/b/c.c": '#include "a/d.h"\n', "a/d.h": "", "a/e.c": '#include "a/b/f.h"\n', "a/b/f.h": ""}, ["a/b/c.c:1", "a/e.c:1"]),
    ({"a/b/c.c": '#include "a/d.h"\n', "a/d.h": "", "a/e.c": '#include "a/d.h"\n'}, []),
    # and by a call through the public header
    ({"views/a.c": '#include "math/b.h"\n', "math/b.h": "", "math/c.c": "int c = zc_b();\n", "views/b.c": DEFINED}, ["math/c.c:1", "views/a.c:1"]),
    ({"views/a.c": '#include "math/b.h"\n', "math/b.h": "", "math/c.c": "/* zc_b() */\n", "views/b.c": DEFINED}, []),
    ({"views/a.c": '#include "views/b.h"\n'}, ["views/a.c:1:10: fatal error"]),
    # what is declared elsewhere: in a header, in a source, by a row, by a type
    ({"views/a.h": GUARDED.format("int zc_b(void);\n"), "math/b.c": DEFINED, "views/a.c": '#include "views/a.h"\n'}, ["views/a.h: declares zc_b"]),
    ({"math/b.h": GUARDED.format("int zc_b(void);\n"), "math/b.c": '#include "math/b.h"\n' + DEFINED}, []),
    ({"views/a.c": "int zc_b(void);\n", "math/b.c": DEFINED}, ["views/a.c: declares zc_b"]),
    ({"views/a.c": "static int zc_b(void);\nint (*f)(void);\n", "math/b.c": DEFINED}, []),
    ({"include/zerocast.h": GUARDED.format("ZC_API int zc_b(void);\n"), "math/b.c": '#include "zerocast.h"\n' + DEFINED}, []),
    ({**ROWS, "views/a.c": '#include "views/a.h"\n', "math/b.c": DEFINED}, ["views/a.h: declares zc_b"]),
    ({"views/a.h": TYPED, "views/a.c": '#include "views/a.h"\n', "math/b.c": DEFINED}, ["views/a.h: declares zc_b"]),
    ({"tests/a.c": "int zc_b(void);\n", "tools/b.c": DEFINED}, []),
    # an object that a table names is above it
    ({"views/a.c": OBJECT, "math/b.c": '#include "views/b.h"\nconst int zc_s = 1;\n', "views/b.h": ""}, ["math/b.c:1", "views/a.c:1"]),
    ({"views/a.c": OBJECT, "math/b.c": "const int zc_s = 1;\n"}, []),
]

HEADER = """
#define ZC_API __attribute__((visibility("default")))
/* ZC_API int zc_comment(void); */
ZC_API const char *zc_one(void);
ZC_API zc_tensor *zc_two(zc_context *ctx, void (*release)(void *user),
                         void *user);
"""


def run():
    rules = {rule.__name__: rule for rule in RULES}
    failures = []
    for name, path, text, expected in CASES:
        if bool(list(rules[name](Source(path, text)))) != expected:
            failures.append(f"{name} should find {'something' if expected else 'nothing'} in {path}: {text[:80]!r}")
    failures += [f"no case for {name}" for name in rules if name not in {case[0] for case in CASES}]

    two = "/* . */\nint f(void);\nint f(void) { return 1; }\nstatic struct s *\ng(struct s (*p)(int))\n{\n}\n"
    if list(functions(Source("views/a.c", two))) != [("f", 3, 3), ("g", 4, 7)]:
        failures.append("functions() misreads definitions")
    if public_functions(HEADER) != ["zc_one", "zc_two"]:
        failures.append("public_functions() misreads declarations")
    table = Source("runtime/ops/ops.def", "ZC_OP(ADD,  add,  2)\n")
    user = Source("tests/diff/a.c", '#include "runtime/ops/ops.def"\nzc_sum(x);\n')
    if list(untested_functions([table, user], ["zc_add", "zc_sum"])):
        failures.append("a mentioned function counts as untested")
    if len(list(untested_functions([table], ["zc_add", "zc_sum"]))) != 2:
        failures.append("an untested function is overlooked")
    many = [Source(f"views/m{i}.c", HEAD) for i in range(20)]
    if list(folder_sizes(many)) or not list(folder_sizes(many + [Source("views/more.h", HEAD)])):
        failures.append("folder_sizes() miscounts")
    for text, names in RECURSIONS:
        sources = [Source(path, HEAD + code) for path, code in text.items()]
        if [finding.split()[1] for finding in recursion(sources)] != names:
            failures.append(f"recursion() should find {names} in {text}")
    for files, expected in FLOORS:
        sources = [Source(path, text) for path, text in files.items()]
        found = list(floors.findings(sources))
        if len(found) != len(expected) or not all(map(str.startswith, sorted(found), sorted(expected))):
            failures.append(f"floors should find {expected} in {files}, not {found}")
    for files, expected in HEADERS:
        sources = [Source(path, HEAD + text) for path, text in files.items()]
        if bool(list(own_headers(sources, ["zc_public"]))) != expected:
            failures.append(f"own_headers() should find {'something' if expected else 'nothing'} in {files}")
    print("\n".join(failures + [f"{len(CASES) + len(RECURSIONS) + len(HEADERS) + len(FLOORS) + 5 - len(failures)} passed, {len(failures)} failed"]))
    return bool(failures)
