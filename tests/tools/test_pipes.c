/* Standard input and output as files, and files in other formats, as users of a shell join them. */
#include "tests/support/zc_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/api/archives.h"
#include "tests/tools/spawn.h"
#include "zerocast.h"

#define DIGITS ZC_TEST_SOURCE_DIR "/examples/data/digits.npy"

/* A line for bash, in which zerocast is the command; its exit code, and what it and its errors say. */
typedef struct line {
    const char *text;
    int exit_code;
    const char *says; /* all of it, without the last newline; where it begins with *, a part */
} line;

static const line lines[] = {
    {"zerocast eval 'arange(6).reshape(2, 3) / 2' -o - | zerocast eval 'x * 2' x=-", 0, "[[0. 1. 2.]\n [3. 4. 5.]]"},
    {"printf 'a,b\\n1,2\\n3,4\\n' | zerocast eval 'x.sum(axis=0)' x=csv:-", 0, "[4 6]"},
    {"printf 'a,b\\n1,2\\n3,4\\n' | zerocast eval 'b' b=tsv:- 2>&1", 1, "*standard input"},
    {"printf '\\1\\0\\2\\0' | zerocast eval 'x' x=raw:int16:2:-", 0, "[1 2]"},
    {"zerocast eval 'arange(6).reshape(2, 3)' -o csv:-", 0, "0,1,2\n3,4,5"},
    {"zerocast eval 'x' x=<(zerocast eval 'arange(3)' -o -)", 0, "[0 1 2]"},
    {"zerocast eval '(arange(3), ones(2))' -o a.npy -o tsv:- && zerocast eval x x=a.npy", 0, "1.0\n1.0\n[0 1 2]"},
    {"zerocast eval 'zeros((1000, 1000))' -o - | wc -c", 0, "8000128"},
    {"zerocast eval 'x + y' x=- y=csv:- 2>&1 </dev/null", 2, "*two names stand for it"},
    {"printf 'abc' | zerocast eval x x=- 2>&1", 1, "*open: standard input: not a .npy"},
    {"printf 'a,b\\n1' | zerocast eval x x=csv:- 2>&1", 1, "*standard input: line 2 has 1 field"},
    {"zerocast eval x x=- 2>&1 <&-", 1, "*standard input"},
    {"zerocast eval 'zeros(10)' -o - 2>&1 >/dev/full", 1, "*standard output: No space left on device"},
    {"zerocast eval 'arange(200000)' --all 2>&1 >/dev/full", 1, "*standard output: No space left on device"},
    {"zerocast eval 'arange(200000)' --all 2>&1 | head -c 8", 1, "[     0 "},
    {"zerocast eval 'arange(2.)' -o raw:f.dat && od -An -tx1 f.dat", 0,
     " 00 00 00 00 00 00 00 00 00 00 00 00 00 00 f0 3f"},
    {"zerocast eval 'arange(2)' -o raw:int64:2:f.dat 2>&1", 1,
     "*a result has a dtype and a shape of its own: raw:FILE"},
    {"TMPDIR=/nowhere zerocast eval 'zeros(10)' -o - 2>&1", 1, "*/nowhere/zerocast-"},
    {"TMPDIR=/nowhere zerocast eval x x=- 2>&1 </dev/null", 1, "*/nowhere/zerocast-"},
    {"zerocast eval '1 +' -o - 2>&1", 2, "*syntax error"},
    {"zerocast convert " DIGITS " d.csv && zerocast convert d.csv d.safetensors && "
     "zerocast eval 'all(x == y), x.shape' x=" DIGITS " y=d.safetensors",
     0, "True\n[1797   64]"},
    {"zerocast eval '(arange(3), ones(2))' -o a.npy -o b.npy && zerocast convert a.npy - | cmp - a.npy", 0, ""},
    {"zerocast convert nothere b.npy 2>&1", 1, "*nothere: cannot be opened"},
    {"zerocast convert a.npy 2>&1", 2, "*takes two files, IN and OUT, not 1"},
    {"zerocast convert a.npy b.npy c.npy 2>&1", 2, "*not 3"},
    {"zerocast convert a.npy b.xls 2>&1", 1, "*not as .xls"},
    {"zerocast convert " DIGITS " big.npy --memory-limit 1K 2>&1", 0, ""},
    {"zerocast convert --help | head -1", 0, "usage: zerocast convert IN.npy OUT.npy [--memory-limit N[K|M|G|T]]"},
    {"zerocast convert two.npz two.safetensors && zerocast info two.safetensors", 0,
     "two.safetensors:x: int64 (3,), C order, 24 bytes\ntwo.safetensors:y: float64 (2,), C order, 16 bytes"},
    {"zerocast convert two.npz:y y.csv && cat y.csv", 0, "1.0\n1.0"},
    {"zerocast convert two.npz - 2>&1", 1, "*holds 2 arrays, and standard output takes one"},
    {"zerocast convert two.npz two.npy 2>&1", 1, "*"},
    {"zerocast eval 'arange(1001)' --all | wc -w", 0, "1002"},
    {"zerocast eval 'arange(1001)' | head -c 20", 0, "[   0    1    2 ... "},
    {"zerocast eval '[1/3, 2.5, 1e3]' --precision 3", 0, "[3.333e-01 2.500e+00 1.000e+03]"},
    {"zerocast eval 'pi' --precision=3", 0, "3.142"},
    {"zerocast eval '[1.5, 2.5]' --precision 0", 0, "[2. 2.]"},
    {"zerocast eval '1' --precision 18 2>&1", 2, "*--precision: '18' is not a number of digits from 0 to 17"},
    {"zerocast eval 'arange(2000)' --json --all | tail -c 13", 0, "1998, 1999]}"},
    {"COLUMNS=20 LINES=5 zerocast show 'arange(16) % 8'", 0, "          7   ⡠⠊  ⡠⠊\n          0 ⡠⠊  ⡠⠊  "},
    {"COLUMNS=20 LINES=6 zerocast show 'arange(9).reshape(3, 3)'", 0, "  ░\n░▒▓\n▓██\n0 to 8"},
    {"COLUMNS=20 LINES=4 zerocast show 'x = arange(600).reshape(10, 60); where(x < 300, nan, 1.)'", 0,
     "                    \n▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒\n1 to 1"},
    {"COLUMNS=46 zerocast show --histogram '[0, 0, 1, nan, inf]' | head -2", 0,
     "          0 to        0.05 ████████ 2\n       0.05 to         0.1  0"},
    {"zerocast show --histogram 'arange(10**6)' | cut -c 53- | sort -u", 0, "*50000"},
    {"zerocast show 'arange(12).reshape(3, 4) / 2.0' -o p.png && zerocast eval 'x.shape, x[0, 0], x[2, 3]' x=p.png", 0,
     "[3 4 3]\n[68  1 84]\n[253 231  37]"},
    {"zerocast show 'broadcast_to([0, 0.5, 1], (2, 2, 3))' -o p.png && zerocast eval 'x[1, 1]' x=p.png", 0,
     "[  0 128 255]"},
    {"zerocast show '3' 2>&1", 1, "*draws arrays of one axis"},
    {"zerocast show 'zeros((2, 2, 2))' 2>&1", 1, "*draws arrays of one axis"},
    {"zerocast show 'arange(3)' -o p.png 2>&1", 1, "*images are saved"},
    {"zerocast show '(1, [2])' 2>&1", 1, "*draws one result"},
    {"zerocast show --histogram '[nan]' 2>&1", 1, "*no finite elements"},
    {"zerocast show '1j' 2>&1", 1, "*"},
    {"zerocast show --help | head -1", 0, "usage: zerocast show EXPR [NAME=FILE.npy ...] [options]"},
    {"zerocast eval '[0.0086515, 1.25]' --precision 2", 0, "[0.01 1.25]"},
    {"zerocast eval '[0.004, 0.05]' --precision=1", 0, "[0.  0.1]"},
    {"zerocast eval '[0.5, 0.6, 3.0]' --precision=0", 0, "[0. 1. 3.]"},
    {"zerocast eval '[-0.0012 + 0.009j]' --precision=2", 0, "[-0.+0.01j]"},
    {"zerocast eval '(1, 2)' -o - -o csv:- 2>&1", 2, "*standard output takes one result, and 2 names"},
    {"zerocast eval 1 --json -o - 2>&1", 2, "*--json: the report goes to standard output"},
    {"zerocast eval 1 -o foo:- 2>&1", 1, "*--output: foo:-: results are written as .npy"},
    {"touch x:- && zerocast eval 1 x=x:- 2>&1", 1, "*x:-: not"},
    {"zerocast eval x x=csv:"
     "-:a 2>&1",
     1, "*"},
    {"TMPDIR= zerocast eval 'arange(3)' -o - | TMPDIR= zerocast eval x x=-", 0, "[0 1 2]"},
    {"TMPDIR=$(printf '/x%.0s' {1..2100}) zerocast eval 1 -o - 2>&1", 1, "*TMPDIR: the path is too long"},
    {"TMPDIR=$(printf '/x%.0s' {1..2100}) zerocast eval x x=- 2>&1 </dev/null", 1, "*TMPDIR: the path is too long"},
    {"zerocast eval x x=$(printf 'x%.0s' {1..4100}):- 2>&1 </dev/null", 1, "*the name of a format is too long"},
    {"zerocast eval x x=/dev/fd/99 2>&1", 1, "*/dev/fd/99"},
    {"zerocast eval x x=/dev/fd/5 5<a.npy 2>&1", 0, "[0 1 2]"},
    {"zerocast convert one.npz one.safetensors && zerocast info one.safetensors", 0,
     "one.safetensors:weight: int64 (3,), C order, 24 bytes"},
    {"zerocast convert one.npz one.csv && zerocast convert one.npz csv:- | cmp - one.csv", 0, ""},
    {"zerocast convert one.npz /nowhere/one.npz 2>&1", 1, "*/nowhere/one.npz"},
    {"zerocast convert two.npz /nowhere/two.npz 2>&1", 1, "*/nowhere/two.npz"},
    {"zerocast convert text.npz - 2>&1", 1, "*text.npz:text.npy: the dtype"},
    {"zerocast convert none.npz - 2>&1", 1, "*convert: none.npz holds no array"},
    {"zerocast convert half.npz half.safetensors 2>&1", 1, "*half.npz:short.npy: 8 bytes of data are missing"},
    {"LINES=8 COLUMNS=40 zerocast show 'sin(arange(10**6) / 10**5)' --memory-limit 1M | wc -l", 0, "5"},
    {"LINES=8 COLUMNS=40 zerocast show 'arange(10**6).reshape(1000, 1000)' --memory-limit 1M | tail -1", 0, "*to"},
    {"LINES=8 COLUMNS=9 zerocast show 'where(arange(100) % 7 == 0, nan, 1.0).reshape(10, 10)'", 0,
     "▒▒▒▒▒\n▒▒▒▒▒\n▒▒▒▒▒\n▒▒▒▒▒\n▒▒▒▒▒\n1 to 1"},
    {"zerocast show 'stack([zeros((1, 2)), full((1, 2), nan), ones((1, 2))], axis=-1)'", 0, "  "},
    {"zerocast show 'full((1, 2, 3), 65535, dtype=uint16)'", 0, "██"},
    {"zerocast show 'astype([[[0, 0, 0], [255, 255, 255]]], uint8)'", 0, " █"},
    {"zerocast show 'zeros((2, 2))' -o p.png -o q.png 2>&1", 1, "*draws one result, to one file"},
    {"zerocast show 'zeros((0, 2))' 2>&1", 1, "*draws arrays of one axis"},
    {"zerocast show '1 +' 2>&1", 2, "*syntax error"},
    {"zerocast show --histogram 'zeros(0)' 2>&1", 1, "*no finite elements"},
    {"zerocast show --histogram 'sort(arange(10**6) % 1000)' --memory-limit 100K 2>&1", 1, "*memory"},
    {"zerocast show 'sort(arange(10**6) % 1000)' --memory-limit 100K 2>&1", 1, "*memory"},
    {"zerocast show 'sort(arange(10**6) % 1000).reshape(1000, 1000)' --memory-limit 100K 2>&1", 1, "*memory"},
    {"zerocast show 'sort(arange(10**6)).reshape(1000, 1000)' -o p.png --memory-limit 100K 2>&1", 1, "*memory"},
    {"zerocast show '[[nan, nan]]' -o p.png && zerocast eval 'x[0]' x=p.png", 0, "[[68  1 84]\n [68  1 84]]"},
    {"zerocast eval 'interp([0.5], [0, 1], astype([200, 100], uint8))'", 0, "[150.]"},
    {"zerocast eval 'nanvar([1+1j, 2-1j]), average([[1., 2.], [3., 4.]], 0)'", 0, "1.25\n[2. 3.]"},
    {"zerocast convert - copy.npy <a.npy && cmp a.npy copy.npy", 0, ""},
    {"zerocast convert - copy.npy 2>&1 </dev/null", 1, "*standard input"},
    {"zerocast eval x x=ab 2>&1", 1, "*ab: cannot be opened"},
    {"zerocast eval 'zeros((1000, 1000))' -o - | head -c 1 | wc -c", 1, "1"},
    {"seq 10000 | zerocast eval x x=csv:- --memory-limit 1K 2>&1", 1, "*memory"},
    {"zerocast show 'ones((1, 2, 4))'", 0, "██"},
    {"zerocast eval 1 --precision=few 2>&1", 2, "*--precision: 'few' is not"},
    {"ls -d ./zerocast-* 2>/dev/null", 2, ""},
};

static void write_archive(archive *a, const char *path)
{
    archive_write(a, path);
    *a = (archive){0};
}

/* Archives as NumPy writes them: of text, of nothing, of one array; and one whose second array is none. */
static void make_archives(void)
{
    static archive a;
    static unsigned char bytes[256];
    static const int64_t numbers[] = {0, 1, 2};
    size_t length = npy_of(bytes, "{'descr': '<U2', 'fortran_order': False, 'shape': (1,), }", "a\0\0\0b\0\0\0", 8);
    archive_store(&a, "text.npy", bytes, length);
    write_archive(&a, "text.npz");
    write_archive(&a, "none.npz");
    length = npy_of(bytes, "{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }", numbers, sizeof numbers);
    archive_store(&a, "weight.npy", bytes, length);
    write_archive(&a, "one.npz");
    archive_store(&a, "weight.npy", bytes, length);
    archive_store(&a, "short.npy", bytes, length - 8);
    write_archive(&a, "half.npz");
}

/* A file of two arrays. */
static void make_two(void)
{
    zc_tensor *arrays[2];
    zc_context *ctx = zc_context_new(NULL);
    arrays[0] = zc_iota(ctx, 3);
    arrays[1] = zc_full(ctx, ZC_SHAPE(2), ZC_FLOAT64, 1);
    cr_assert_eq(zc_save_members(2, (const zc_tensor *const *)arrays, (const char *const[]){"x", "y"}, "two.npz"),
                 ZC_OK);
    zc_release(arrays[0]);
    zc_release(arrays[1]);
    zc_context_free(ctx);
}

/* Writes a line as a script, in which the command has its name. */
static void write_script(const char *text)
{
    FILE *script = fopen("line.sh", "w");
    cr_assert_not_null(script);
    cr_assert_gt(fprintf(script, "set -o pipefail\nzerocast() { \"%s\" \"$@\"; }\n%s\n", ZC_TEST_COMMAND, text), 0);
    cr_assert_eq(fclose(script), 0);
}

static void expect_line(const line *l)
{
    static char says[1 << 16];
    write_script(l->text);
    FILE *out = popen("bash line.sh", "r"); /* NOLINT(cert-env33-c): a line of the table */
    cr_assert_not_null(out);
    const size_t length = fread(says, 1, sizeof says - 1, out);
    says[length] = '\0';
    if (length > 0 && says[length - 1] == '\n')
        says[length - 1] = '\0';
    const int status = pclose(out);
    cr_expect_eq(WEXITSTATUS(status), l->exit_code, "%s: %d, %s", l->text, WEXITSTATUS(status), says);
    const bool is_part = l->says[0] == '*';
    cr_expect(is_part ? strstr(says, l->says + 1) != NULL : strcmp(says, l->says) == 0, "%s says %s", l->text, says);
}

Test(pipes, join_commands)
{
    zc_enter_folder("pipes");
    make_two();
    make_archives();
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        expect_line(&lines[i]);
}
