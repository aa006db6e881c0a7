#include "tools/help.h"

const char zc_help_all[] =
    "usage: zerocast eval EXPR [NAME=FILE.npy ...] [-o OUT.npy] [options]\n"
    "       zerocast explain EXPR [NAME=FILE.npy ...] [--format text|json|dot]\n"
    "       zerocast info FILE.npy ...\n"
    "       zerocast --help | --version | SUBCOMMAND --help\n"
    "\n"
    "Lazy, view-based array computing: broadcasts take no memory, and nothing is computed before it is needed.\n"
    "\n"
    "  eval      computes an expression over .npy files; prints the result, or writes it with -o\n"
    "  explain   shows the plan of an expression and runs nothing\n"
    "  info      says what files hold, from their headers alone\n";

const char zc_help_eval[] =
    "usage: zerocast eval EXPR [NAME=FILE.npy ...] [-o OUT.npy] [options]\n"
    "       zerocast eval -f FILE [NAME=FILE.npy ...] [-o OUT.npy] [options]\n"
    "\n"
    "Computes EXPR, in which every NAME stands for the array in its file. Without -o the result is printed as NumPy\n"
    "prints arrays, and only the elements that are shown are computed.\n"
    "\n"
    "  -o, --output FILE              write the result as .npy: the old file stays, or the complete new one\n"
    "  -f, --file FILE                read the expression from a file\n"
    "      --json                     print one JSON object: dtype, shape, bytes, time, and at most 1000 elements\n"
    "      --quiet                    do not print the result\n"
    "      --threads N                threads to compute with, 1 to 1024 (default: the machine's processors)\n"
    "      --memory-limit N[K|M|G|T]  bytes of data to allocate at most, the output included\n"
    "                                 (default: 80 % of the memory the process may use)\n"
    "      --executor tile|reference  fast kernels (default), or plain C with the same results\n"
    "  -h, --help                     this text\n"
    "\n"
    "EXPR has Python's operators, literals, calls and subscripts, and the functions of the Python array API.\n"
    "Statements end with ; or a newline, NAME = EXPR binds a name, # begins a comment; the last value is the result.\n"
    "\n"
    "  zerocast eval 'mean(astype(x, float32), axis=0)' x=digits.npy\n"
    "  zerocast eval 'd = x[:, None] - x; sum(d**2, axis=2)' x=points.npy -o distances.npy\n"
    "\n"
    "Exit codes: 0 done; 1 the request cannot be met; 2 wrong usage or a syntax error.\n";

const char zc_help_explain[] =
    "usage: zerocast explain EXPR [NAME=FILE.npy ...] [options]\n"
    "       zerocast explain -f FILE [NAME=FILE.npy ...] [options]\n"
    "\n"
    "Shows what eval would do with EXPR: buffers with their bytes, stages and why each is one, and of every value its\n"
    "strides, the axes along which it repeats, its bytes, and whether it is fused, hoisted, cut or reduced by rule.\n"
    "Nothing is computed.\n"
    "\n"
    "      --format text|json|dot     for people (default), for programs, or for Graphviz: ... | dot -Tsvg\n"
    "  -f, --file FILE                read the expression from a file\n"
    "      --threads N                plan for that many threads\n"
    "      --executor tile|reference  plan for that executor\n"
    "  -h, --help                     this text\n";

const char zc_help_info[] = "usage: zerocast info FILE.npy ... [--json]\n"
                            "\n"
                            "Says what each file holds: dtype, shape, order, version and bytes. Reads headers only.\n"
                            "\n"
                            "      --json  one JSON list, an object per file\n"
                            "  -h, --help  this text\n";
