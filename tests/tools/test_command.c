/* The zerocast command as a process: exit codes, streams and files. */
#include "tests/support/zc_test.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/tools/spawn.h"

#define DIGITS ZC_TEST_SOURCE_DIR "/examples/data/digits.npy"
#define LABELS ZC_TEST_SOURCE_DIR "/examples/data/digits_labels.npy"

/* ---- Files to work on ---- */

static void write_bytes(const char *path, const char *text, size_t length)
{
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file, "%s", path);
    cr_assert_eq(fwrite(text, 1, length, file), length);
    cr_assert_eq(fclose(file), 0);
}

static void write_text(const char *path, const char *text)
{
    write_bytes(path, text, strlen(text));
}

/* Two by two in the other order of axes, and of bytes. */
static void write_odd_file(void)
{
    static const char header[] = "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 2), }";
    char file[128 + 8];
    memset(file, ' ', sizeof file);
    memcpy(file, "\x93NUMPY\x01\0\x76\0", 10);
    memcpy(file + 10, header, strlen(header));
    file[127] = '\n';
    memcpy(file + 128, "\0\x01\x01\0\0\x02\0\x03", 8);
    write_bytes("odd.npy", file, sizeof file);
}

static void make_files(const char *name)
{
    zc_enter_folder(name);
    (void)mkdir("folder", 0777);
    (void)mkfifo("fifo", 0666);
    write_text("old.npy", "old");
    write_text("one.zc", "# a file\na = x[0, :3]\nsum(a)\n");
    write_text("empty.zc", "");
    write_text("bad.zc", "a = 1\nb = )\n");
    write_text("large.zc", "");
    cr_assert_eq(truncate("large.zc", (off_t)1 << 40), 0); /* without blocks */
    write_bytes("binary.zc", "1 + \0 2", 7);
    write_odd_file();
}

static bool is_text(const char *path, const char *text)
{
    char content[64] = "";
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    size_t length = fread(content, 1, sizeof content - 1, file);
    fclose(file);
    return length == strlen(text) && strcmp(content, text) == 0;
}

/* ---- What it says ---- */

typedef struct row {
    const char *arguments; /* separated by tabs */
    int exit_code;
    const char *out;   /* all of stdout; NULL: anything */
    const char *error; /* a part of stderr; NULL: nothing */
} row;

static const row rows[] = {
    {"", 2, "", "zerocast: no subcommand is given"},
    {"--version", 0, NULL, NULL},
    {"--help", 0, NULL, NULL},
    {"-h", 0, NULL, NULL},
    {"eval\t--help", 0, NULL, NULL},
    {"explain\t-h", 0, NULL, NULL},
    {"info\t--help", 0, NULL, NULL},
    {"evl", 2, "", "unknown subcommand 'evl'; did you mean 'eval'?"},
    {"--bogus", 2, "", "unknown subcommand '--bogus'"},
    {"eval\t1 + 1", 0, "2\n", NULL},
    {"eval\t1\t--bogus", 2, "", "unknown option '--bogus'"},
    {"eval\t1\t--thread\t1", 2, "", "unknown option '--thread'; did you mean '--threads'?"},
    {"eval\t1\t-z", 2, "", "unknown option '-z'"},
    {"eval\t1\t-hx", 2, "", "unknown option '-hx'"},
    {"eval\t1\t--outputs=3", 2, "", "unknown option '--outputs=3'"},
    {"eval\t1\t-", 2, "", "'-' is not NAME=FILE"},
    {"eval\t-f\tone.zc\t-x", 2, "", "unknown option '-x'"},
    {"eval\t--help\tno expression", 0, NULL, NULL},
    {"eval\tx\ta-b=a.npy", 2, "", "'a-b=a.npy' is not NAME=FILE"},
    {"eval\tx_1\tx_1=" LABELS "\t--quiet", 0, "", NULL},
    {"eval\t1\t--memory-limit\t9223372036854775808", 2, "", "--memory-limit"},
    {"eval\tx\tx=odd.npy", 0, "[[  1   2]\n [256   3]]\n", NULL},
    {"info\todd.npy", 0, "odd.npy: int16 (2, 2), Fortran order, big-endian, version 1, 8 bytes\n", NULL},
    {"eval\t-z\t1", 2, "", "'1' is not NAME=FILE"},
    {"eval\t-1", 0, "-1\n", NULL},
    {"eval\t-x[0, :3]\tx=" DIGITS, 0, "[  0   0 251]\n", NULL},
    {"eval\t--\t-2**2", 0, "-4\n", NULL},
    {"eval\t1\t--json=3", 2, "", "--json: takes no value"},
    {"eval\t1\t-o", 2, "", "--output: its value is missing"},
    {"eval\t1\t--output=", 2, "", "the file name is empty"},
    {"eval\t-f\t\t1", 2, "", "the file name is empty"},
    {"eval", 2, "", "no expression is given"},
    {"eval\t ", 2, "", "the expression is empty"},
    {"eval\t# nothing", 2, "", "the expression is empty"},
    {"eval\t1 + )", 2, "", "syntax error at column 5: expected a value, found ')'\n    1 + )\n        ^\n"},
    {"eval\t1 + )\tx=missing.npy", 2, "", "syntax error at column 5"},
    {"eval\tx\tx", 2, "", "'x' is not NAME=FILE"},
    {"eval\tx\tx=", 2, "", "'x=' is not NAME=FILE"},
    {"eval\tx\t1x=a.npy", 2, "", "'1x=a.npy' is not NAME=FILE"},
    {"eval\tx\tx=a.npy\tx=b.npy", 2, "", "the name 'x' is bound twice"},
    {"eval\t1\t--threads\t0", 2, "", "--threads: '0' is not a number from 1 to 1024"},
    {"eval\t1\t--threads\t1025", 2, "", "--threads"},
    {"eval\t1\t--threads\t2x", 2, "", "--threads"},
    {"eval\t1\t--threads=-1", 2, "", "--threads"},
    {"eval\t1\t--threads=99999999999999999999", 2, "", "--threads"},
    {"eval\t1\t--threads=2", 0, "1\n", NULL},
    {"eval\t1\t--memory-limit\t0", 2, "", "--memory-limit: '0' is not a number of bytes above 0"},
    {"eval\t1\t--memory-limit\t1.5G", 2, "", "--memory-limit"},
    {"eval\t1\t--memory-limit\tG", 2, "", "--memory-limit"},
    {"eval\t1\t--memory-limit\t1k", 2, "", "--memory-limit"},
    {"eval\t1\t--memory-limit\t9999999T", 2, "", "--memory-limit"},
    {"eval\t1\t--memory-limit=", 2, "", "--memory-limit"},
    {"eval\t1\t--memory-limit=1T", 0, "1\n", NULL},
    {"eval\tcumulative_sum(ones(2000))\t-o\tbig.npy\t--memory-limit\t1K", 1, "", "over the limit of 1024"},
    {"eval\t1\t--executor\tjit", 2, "", "--executor: 'jit' is none of reference, tile"},
    {"eval\tsum(arange(10))\t--executor\treference", 0, "45\n", NULL},
    {"eval\tsum(arange(10))\t--executor\ttile", 0, "45\n", NULL},
    {"explain\tx\tx=" DIGITS "\t--format\tsvg", 2, "", "--format: 'svg' is none of text, json, dot, brief"},
    {"explain\tx\tx=" DIGITS "\t--json", 2, "", "unknown option '--json'"},
    {"eval\tsum(labels == labels)\tlabels=" LABELS, 0, "1797\n", NULL},
    {"eval\tpi\tpi=" LABELS "\t--quiet", 0, "", NULL},
    {"eval\tx\tx=missing.npy", 1, "", "missing.npy: cannot be opened: No such file"},
    {"eval\t1\tx=missing.npy", 1, "", "missing.npy"},
    {"eval\tx\tx=folder", 1, "", "folder: not a regular file"},
    {"eval\tx\tx=fifo", 1, "", "fifo: not a regular file"},
    {"eval\tx\tx=/dev/zero", 1, "", "/dev/zero: not a regular file"},
    {"eval\tx\tx=old.npy", 1, "", "old.npy"},
    {"eval\tx + y\tx=" DIGITS "\ty=" LABELS, 1, "", "add: shapes (1797, 64) and (1797,)"},
    {"eval\tsqr(2)", 1, "", "zerocast: unknown function 'sqr'; did you mean 'sqrt'?\n"},
    {"eval\ty", 1, "", "zerocast: unknown name 'y'\n"},
    {"eval\t1\t-o\tfolder", 1, "", "folder: not a regular file"},
    {"eval\t1\t-o\t/dev/null", 1, "", "/dev/null: not a regular file"},
    {"eval\t1\t-o\tmissing/out.npy", 1, "", "missing/out.npy"},
    {"eval\tx\tx=" DIGITS "\t-o\tfifo", 1, "", "fifo: not a regular file"},
    {"eval\tarange(3) + arange(4)\t-o\told.npy", 1, "", "add"},
    {"eval\tcumulative_sum(ones(10**6))\t--memory-limit=1K\t-oold.npy", 1, "", "over the limit of 1024"},
    {"eval\t-f\tone.zc\tx=" DIGITS, 0, "5\n", NULL},
    {"eval\t--file=one.zc\tx=" DIGITS, 0, "5\n", NULL},
    {"eval\t-fone.zc\tx + 1", 2, "", "'x + 1' is not NAME=FILE"},
    {"eval\t-f\tempty.zc", 2, "", "the expression is empty"},
    {"eval\t-f\tbad.zc", 2, "", "at line 2, column 5: expected a value, found ')'\n    b = )\n        ^\n"},
    {"eval\t-f\tbinary.zc", 2, "", "at column 5: a NUL byte"},
    {"eval\t-f\tmissing.zc", 1, "", "missing.zc: No such file"},
    {"eval\t-f\tfolder", 1, "", "folder: not a regular file"},
    {"eval\t-f\tfifo", 1, "", "fifo: not a regular file"},
    {"eval\t-f\t/dev/zero", 1, "", "/dev/zero: not a regular file"},
    {"eval\tbroadcast_to(x[0, 3], (10**6, 10**6, 10**6))[0, 0]\tx=" DIGITS, 0, "[13 13 13 ... 13 13 13]\n", NULL},
    {"explain\tx + 1\tx=" DIGITS, 0, NULL, NULL},
    {"explain\tx + 1\tx=" DIGITS "\t--format\ttext", 0, NULL, NULL},
    {"explain\tx + 1\tx=" DIGITS "\t--format=dot", 0, NULL, NULL},
    {"explain\tmax(zeros(0))", 1, "", "max: "},
    {"eval\tones(500)\t--memory-limit=1K\t--json", 1, "", "over the limit of 1024"},
    {"eval\t-f\tlarge.zc", 1, "", "large.zc: too long for an expression"},
    {"explain\tx + 1\tx=" DIGITS "\t--format=json", 0, NULL, NULL},
    {"explain\t-f\tone.zc\tx=" DIGITS "\t--threads=1\t--executor=reference", 0, NULL, NULL},
    {"explain\tx +", 2, "", "syntax error at column 4"},
    {"explain\ty", 1, "", "unknown name 'y'"},
    {"info", 2, "", "info: no file is named"},
    {"info\t-x", 2, "", "unknown option '-x'"},
    {"info\t" DIGITS "\t" LABELS, 0,
     DIGITS ": uint8 (1797, 64), C order, version 1, 115008 bytes\n" LABELS
            ": uint8 (1797,), C order, version 1, 1797 bytes\n",
     NULL},
    {"help", 0, NULL, NULL},
    {"help\t--help", 0, NULL, NULL},
    {"help\tsin", 0, "sin(x)\n    the sine of x radians\n", NULL},
    {"help\tsort\txla.add", 0,
     "sort(x, axis=-1, descending=False, stable=True)\n    x in order along axis; equal elements keep theirs\n"
     "    It computes when it is called.\nxla.add(x, y, broadcast_dimensions=None)\n    x + y\n",
     NULL},
    {"help\tsrot", 1, "", "help: unknown function 'srot'; did you mean 'sort'?"},
    {"help\tint8\tabs", 1, "abs(x)\n    the absolute value of x, of complex x its size\n", "help: int8 is a dtype"},
    {"help\t-x", 2, "", "unknown option '-x'"},
    {"help\t--json", 2, "", "unknown option '--json'"},
    {"info\tmissing.npy\t" LABELS, 1, LABELS ": uint8 (1797,), C order, version 1, 1797 bytes\n", "missing.npy"},
    {"info\t" LABELS "\told.npy", 1, LABELS ": uint8 (1797,), C order, version 1, 1797 bytes\n", "old.npy"},
    {"info\told.npy\t--json", 1, "[]\n", "old.npy"},
    {"eval\tx = arange(6); unique_counts(x > 0), mean(x)", 0, "[False  True]\n[1 5]\n2.5\n", NULL},
    {"eval\tx = ones((2, 3)); x.size, x.shape", 0, "6\n[2 3]\n", NULL},
    {"eval\tx = ones((2, 3)); x.shape, (x.shape, 1)", 0, "[2 3]\n[2 3]\n1\n", NULL},
    {"eval\t(1, 2), (3, 4)", 0, "[[1 2]\n [3 4]]\n", NULL},
    {"eval\t1, (2, (3, (4, 5)))", 0, "1\n2\n3\n[4 5]\n", NULL},
    {"eval\tarange(2), (1, 2)", 0, "[0 1]\n[1 2]\n", NULL},
    {"eval\t(1, 2), (3,)", 0, "[1 2]\n[3]\n", NULL},
    {"eval\t'a', 1", 1, "", "the result: takes a tensor or a number, not a string"},
    {"eval\tx = arange(2000); x[x > 1]\t--memory-limit=1K", 1, "", "over the limit of 1024"},
    {"eval\tx = arange(3); x[[1, 'a']]", 1, "", "index: a list that stands for an array holds numbers, not a string"},
    {"eval\tx = asarray([3., 1., 2.]); grad(sum(x[x > 1]**2), x)", 0, "[6. 0. 4.]\n", NULL},
    {"eval\tx = arange(6); update(x, places(x)[x > 2], 0)", 0, "[0 1 2 0 0 0]\n", NULL},
    {"eval\t1, 'a'", 1, "", "the result: takes a tensor or a number, not a string"},
    {"eval\tx = ones((2, 3)); x.size, x.shape\t-o\tbig.npy", 1, "", "-o names 1 file for 2 results"},
    {"explain\tx = arange(4); x[x > 1] + 1", 0, NULL, NULL},
    {"explain\tones(3) + 1\t--memory-limit\t0", 2, "", "--memory-limit: '0' is not a number of bytes above 0"},
    {"info\tmissing.npy", 1, "", "missing.npy"},
    {"info\tfifo", 1, "", "fifo: not a regular file"},
    {"info\t--json\t" LABELS, 0,
     "[{\"file\": \"" LABELS
     "\", \"dtype\": \"uint8\", \"shape\": [1797], \"fortran_order\": false, \"big_endian\": false, "
     "\"version\": 1, \"header_bytes\": 128, \"data_bytes\": 1797}]\n",
     NULL},
};

static int count_lines(const char *text)
{
    int lines = 0;
    for (; *text != '\0'; text++)
        lines += *text == '\n';
    return lines;
}

Test(command, answers_with_the_exit_code_and_text_of_its_contract)
{
    make_files("contract");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const zc_spawned *s = zc_spawn_line(rows[i].arguments, ZC_SPAWN_KEPT);
        cr_expect(s->exit_code == rows[i].exit_code, "%s: exit code %d, not %d; %s", rows[i].arguments, s->exit_code,
                  rows[i].exit_code, s->error);
        if (rows[i].out == NULL)
            cr_expect(strlen(s->out) > 10 && s->out[strlen(s->out) - 1] == '\n', "%s: %s", rows[i].arguments, s->out);
        else
            cr_expect(strcmp(s->out, rows[i].out) == 0, "%s: prints %s", rows[i].arguments, s->out);
        if (rows[i].error == NULL)
            cr_expect(s->error[0] == '\0', "%s: says %s", rows[i].arguments, s->error);
        else
            cr_expect(strncmp(s->error, "zerocast: ", 10) == 0 && strstr(s->error, rows[i].error) != NULL,
                      "%s: says %s", rows[i].arguments, s->error);
        cr_expect(count_lines(s->error) <= rows[i].exit_code + (rows[i].exit_code == 2), "%s: says too much: %s",
                  rows[i].arguments, s->error);
    }
    cr_expect(is_text("old.npy", "old"), "a failure touched the output file");
    cr_expect(access("big.npy", F_OK) != 0, "a failure left an output file");
}

/* Text from files and arguments cannot steer the terminal. */
Test(command, prints_no_control_characters)
{
    make_files("control");
    const zc_spawned *s = zc_spawn((const char *const[]){"eval", "x", "x=\x1b[31m\nred", NULL}, ZC_SPAWN_KEPT);
    cr_expect_eq(s->exit_code, 1);
    cr_expect_null(strchr(s->error, '\x1b'));
    cr_expect_eq(count_lines(s->error), 1);
}

/* ---- Standard output that cannot be written ---- */

Test(command, tells_when_its_output_is_lost)
{
    make_files("output");
    static const char *const lines[] = {"eval\t1",
                                        "eval\tarange(1000)",
                                        "--help",
                                        "--version",
                                        "info\t" DIGITS,
                                        "explain\tx\tx=" DIGITS,
                                        "explain\tx = sort(arange(9.)); x[x > 1] + 1",
                                        "explain\tx = exp(arange(9.)); (x @ x, cumulative_sum(x), sum(x), x[::-1] @ x)",
                                        "eval\tones((900,)) / 3\t--json"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const zc_spawned *s = zc_spawn_line(lines[i], ZC_SPAWN_FULL);
        cr_expect(s->exit_code == 1 && strstr(s->error, "standard output: No space left on device") != NULL,
                  "%s: %d, %s", lines[i], s->exit_code, s->error);
        s = zc_spawn_line(lines[i], ZC_SPAWN_CLOSED);
        cr_expect(s->exit_code == 1 && strstr(s->error, "standard output: Bad file descriptor") != NULL, "%s: %d, %s",
                  lines[i], s->exit_code, s->error);
        s = zc_spawn_line(lines[i], ZC_SPAWN_BROKEN_PIPE);
        cr_expect(s->exit_code == 1 && s->error[0] == '\0', "%s: %d, %s", lines[i], s->exit_code, s->error);
    }
}

/* With a closed stdout the output file must not take its place. */
Test(command, writes_files_with_closed_output)
{
    make_files("closed");
    const zc_spawned *s = zc_spawn_line("eval\tarange(3)\t-o\tclosed.npy", ZC_SPAWN_CLOSED);
    cr_expect_eq(s->exit_code, 0, "%s", s->error);
    s = zc_spawn_line("eval\tx\tx=closed.npy", ZC_SPAWN_KEPT);
    cr_expect_str_eq(s->out, "[0 1 2]\n");
    (void)remove("closed.npy");
}

/* A file-size limit is an error like any other, and the old file stays. */
Test(command, survives_a_file_size_limit)
{
    make_files("limit");
    struct rlimit old, limit;
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &old), 0);
    limit = (struct rlimit){.rlim_cur = 4096, .rlim_max = old.rlim_max};
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const zc_spawned *s = zc_spawn_line("eval\tarange(10000)\t-o\told.npy", ZC_SPAWN_KEPT);
    int exit_code = s->exit_code;
    bool is_told = strstr(s->error, "File too large") != NULL;
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &old), 0);
    cr_expect_eq(exit_code, 1);
    cr_expect(is_told);
    cr_expect(is_text("old.npy", "old"));
}

/* ---- Files and reports ---- */

Test(command, writes_what_it_reads)
{
    make_files("files");
    const zc_spawned *s = zc_spawn_line("eval\tx.T[::-2]\tx=" DIGITS "\t-o\tturned.npy\t--json", ZC_SPAWN_KEPT);
    cr_assert_eq(s->exit_code, 0, "%s", s->error);
    cr_expect_not_null(strstr(s->out,
                              "{\"dtype\": \"uint8\", \"shape\": [32, 1797], \"strides\": [-2, 64], \"is_view\": true, "
                              "\"logical_bytes\": 57504, \"held_bytes\": 115008, \"peak_bytes\": "),
                       "%s", s->out);
    cr_expect_not_null(strstr(s->out, ", \"executor\": \"tile\", \"threads\": "), "%s", s->out);
    cr_expect_null(strstr(s->out, "\"data\""), "%s", s->out);
    s = zc_spawn_line("eval\tall(x.T[::-2] == y)\tx=" DIGITS "\ty=turned.npy", ZC_SPAWN_KEPT);
    cr_expect_str_eq(s->out, "True\n");
    s = zc_spawn_line("info\tturned.npy", ZC_SPAWN_KEPT);
    cr_expect_str_eq(s->out, "turned.npy: uint8 (32, 1797), C order, version 1, 57504 bytes\n");
    (void)remove("turned.npy");
}

typedef struct report_row {
    const char *arguments;
    const char *part;
    bool has_data;
} report_row;

Test(command, reports_json)
{
    make_files("reports");
    static const report_row reports[] = {
        {"eval\tarange(4) / 2\t--json", "\"strides\": null, \"is_view\": false, ", true},
        {"eval\tarange(4) / 2\t--json", "\"data\": [0.0, 0.5, 1.0, 1.5]}\n", true},
        {"eval\tbroadcast_to([[1.5]], (2, 3))\t--json",
         "\"strides\": [0, 0], \"is_view\": true, \"logical_bytes\": 48, "
         "\"held_bytes\": 8, ",
         true},
        {"eval\tbroadcast_to(x[0], (10**6, 10**6, 64))\tx=" DIGITS "\t--json",
         "\"shape\": [1000000, 1000000, 64], \"strides\": [0, 0, 1], \"is_view\": true, "
         "\"logical_bytes\": 64000000000000, \"held_bytes\": 115008, ",
         false},
        {"eval\tzeros((10**9, 0))\t--json", "\"shape\": [1000000000, 0], ", false},
        {"eval\tzeros((2, 0, 3))\t--json", "\"data\": [[], []]}\n", true},
        {"eval\t[nan, inf, -inf]\t--json\t--quiet", "\"data\": [\"nan\", \"inf\", \"-inf\"]}\n", true},
        {"eval\t7\t--json\t--threads=3\t--executor=reference",
         "\"executor\": \"reference\", \"threads\": 3, \"data\": 7}\n", true},
        {"eval\tarange(1001)\t--json", "\"measured_peak_bytes\": 0, ", false},
    };
    for (size_t i = 0; i < sizeof reports / sizeof reports[0]; i++) {
        const zc_spawned *s = zc_spawn_line(reports[i].arguments, ZC_SPAWN_KEPT);
        cr_expect(s->exit_code == 0 && strstr(s->out, reports[i].part) != NULL, "%s: %s%s", reports[i].arguments,
                  s->out, s->error);
        cr_expect((strstr(s->out, "\"data\"") != NULL) == reports[i].has_data, "%s: %s", reports[i].arguments, s->out);
    }
}

Test(command, computes_a_tuple_of_results_in_one_run)
{
    make_files("several");
    const char *mean = "eval\tm = mean(arange(3.)); (m, arange(3) - m, 7)";
    char line[256];
    cr_expect_str_eq(zc_spawn_line(mean, ZC_SPAWN_KEPT)->out, "1.0\n[-1.  0.  1.]\n7\n");
    (void)snprintf(line, sizeof line, "%s\t-o\tone.npy\t--output=two.npy\t-othree.npy", mean);
    const zc_spawned *s = zc_spawn_line(line, ZC_SPAWN_KEPT);
    cr_expect(s->exit_code == 0 && s->out[0] == '\0', "%s%s", s->out, s->error);
    s = zc_spawn_line("eval\tx, y, z\tx=one.npy\ty=two.npy\tz=three.npy\t--json", ZC_SPAWN_KEPT);
    cr_expect_not_null(strstr(s->out, "{\"logical_bytes\": 40, "), "%s", s->out);
    cr_expect_not_null(strstr(s->out, "\"results\": [{\"dtype\": \"float64\", \"shape\": [], \"strides\": [], "
                                      "\"is_view\": true, \"data\": 1.0}, {\"dtype\": \"float64\", \"shape\": [3]"),
                       "%s", s->out);
    s = zc_spawn_line("eval\tx, y\tx=one.npy\ty=two.npy\t-o\told.npy", ZC_SPAWN_KEPT);
    cr_expect(s->exit_code == 1 && strcmp(s->error, "zerocast: -o names 1 file for 2 results\n") == 0, "%s", s->error);
    s = zc_spawn_line("eval\tx\tx=one.npy\t-o\told.npy\t-o\ttwo.npy", ZC_SPAWN_KEPT);
    cr_expect(s->exit_code == 1 && strcmp(s->error, "zerocast: -o names 2 files for 1 result\n") == 0, "%s", s->error);
    s = zc_spawn_line("eval\tx, x\tx=one.npy\t-o\told.npy\t-o\told.npy", ZC_SPAWN_KEPT);
    cr_expect(s->exit_code == 1 && strstr(s->error, "old.npy: the file of two tensors") != NULL, "%s", s->error);
    cr_expect(is_text("old.npy", "old"));
    s = zc_spawn_line("explain\tm = mean(x); (m, x - m)\tx=two.npy", ZC_SPAWN_KEPT);
    cr_expect_not_null(strstr(s->out, "result 2: float64 (3,) strides (1,), output 1\n"), "%s", s->out);
    (void)remove("one.npy");
    (void)remove("two.npy");
    (void)remove("three.npy");
}

/* ---- Hostile files ---- */

static void check_hostile(const char *header, size_t claimed, size_t data_bytes)
{
    char file[512] = "\x93NUMPY\x01";
    size_t length = strlen(header);
    file[8] = (char)(claimed & 0xff);
    file[9] = (char)(claimed >> 8);
    memcpy(file + 10, header, length);
    write_bytes("hostile.npy", file, 10 + length + data_bytes);
    static const char *const lines[] = {"eval\tx\tx=hostile.npy", "info\thostile.npy", "explain\tx\tx=hostile.npy"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const zc_spawned *s = zc_spawn_line(lines[i], ZC_SPAWN_KEPT);
        cr_expect(s->exit_code == 1 && count_lines(s->error) == 1 && strstr(s->error, "hostile.npy") != NULL,
                  "%s, header %s: %d, %s", lines[i], header, s->exit_code, s->error);
    }
}

Test(command, refuses_hostile_npy_files)
{
    make_files("hostile");
    static const char *const headers[] = {
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }\n",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 4), }\n",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }\n",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (9,), }\n", /* the data are missing */
        "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n",
        "{'descr': '<f8', 'fortran_order': Maybe, 'shape': (1,), }\n",
        "{'descr': '<f8', 'shape': (1,), }\n",
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }\n",
        "{{{{{{{{{{{{{{{{{{{{{{{{{{\n",
        "",
    };
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        check_hostile(headers[i], strlen(headers[i]), 16);
    check_hostile(headers[0], 65535, 0);
    (void)remove("hostile.npy");
}

/* ---- Size ---- */

typedef struct long_row {
    const char *first, *part, *middle, *closing;
    int count;
    const char *out;
} long_row;

static void write_program(const char *path, const long_row *program)
{
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(program->first, file);
    for (int i = 0; i < program->count; i++)
        fputs(program->part, file);
    fputs(program->middle, file);
    for (int i = 0; i < program->count; i++)
        fputs(program->closing, file);
    cr_assert_eq(fclose(file), 0);
}

/* Sanitizers want more stack for themselves. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { STACK_BYTES = 1 << 20 };
#else
enum { STACK_BYTES = 1 << 16 };
#endif

/* Neither chains nor nesting take stack. */
Test(command, takes_long_and_deep_programs)
{
    static const long_row programs[] = {
        {"x", " + x", "", "", 99999, "200000\n"}, {"a = x\n", "a = a + 1\n", "a", "", 10000, "10002\n"},
        {"", "a = x; ", "a", "", 10000, "2\n"},   {"", "-", "x", "", 100000, "2\n"},
        {"", "(", "x", ")", 100000, "2\n"},       {"", "x - (", "x", ")", 50000, "2\n"},
        {"", "abs(", "x", ")", 50000, "2\n"},     {"", "x ** (0 * ", "x", ")", 20000, "1\n"},
    };
    make_files("long");
    const zc_spawned *made = zc_spawn_line("eval\t2\t-o\ttwo.npy", ZC_SPAWN_KEPT);
    cr_assert_eq(made->exit_code, 0, "%s", made->error);
    struct rlimit old, limit;
    cr_assert_eq(getrlimit(RLIMIT_STACK, &old), 0);
    limit = (struct rlimit){.rlim_cur = STACK_BYTES, .rlim_max = old.rlim_max};
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        write_program("long.zc", &programs[i]);
        cr_assert_eq(setrlimit(RLIMIT_STACK, &limit), 0);
        const zc_spawned *s = zc_spawn_line("eval\t-f\tlong.zc\tx=two.npy", ZC_SPAWN_KEPT);
        cr_assert_eq(setrlimit(RLIMIT_STACK, &old), 0);
        cr_expect(s->exit_code == 0 && strcmp(s->out, programs[i].out) == 0, "%s: %d, %s%s", programs[i].part,
                  s->exit_code, s->out, s->error);
    }
}
