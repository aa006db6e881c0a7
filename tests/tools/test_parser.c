/* From source to postfix, and where syntax errors are found. */
#include "tests/support/zc_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "expressions/language/operators.h"
#include "expressions/language/parser.h"
#include "tests/support/random.h"
#include "tools/base/report.h"

/* ---- Postfix, as text ---- */

static int write_instruction(const zc_program *program, const zc_instruction *i, char *text, size_t room)
{
    const char *name = program->names.count > i->name ? program->names.texts[i->name] : "";
    switch ((zc_code)i->code) {
    case ZC_CODE_INTEGER:
        return snprintf(text, room, "%s%llu ", i->is_negative ? "-" : "", (unsigned long long)i->magnitude);
    case ZC_CODE_FLOAT:
        return snprintf(text, room, "%g ", i->real);
    case ZC_CODE_IMAGINARY:
        return snprintf(text, room, "%gj ", i->real);
    case ZC_CODE_STRING:
        return snprintf(text, room, "'%s' ", name);
    case ZC_CODE_NONE:
        return snprintf(text, room, "none ");
    case ZC_CODE_ELLIPSIS:
        return snprintf(text, room, "... ");
    case ZC_CODE_LOAD:
        return snprintf(text, room, "%s ", name);
    case ZC_CODE_UNARY:
        return snprintf(text, room, "unary%s ", zc_operator_describe((zc_operator)i->op)->text);
    case ZC_CODE_BINARY:
        return snprintf(text, room, "%s ", zc_operator_describe((zc_operator)i->op)->text);
    case ZC_CODE_ATTRIBUTE:
        return snprintf(text, room, ".%s ", name);
    case ZC_CODE_SLICE:
        return snprintf(text, room, "slice ");
    case ZC_CODE_SUBSCRIPT:
        return snprintf(text, room, "[] ");
    case ZC_CODE_TUPLE:
        return snprintf(text, room, "tuple%u ", i->count);
    case ZC_CODE_LIST:
        return snprintf(text, room, "list%u ", i->count);
    case ZC_CODE_CALL:
        return snprintf(text, room, "%s(%u,%u) ", name, i->count, i->keyword_count);
    case ZC_CODE_METHOD:
        return snprintf(text, room, ".%s(%u,%u) ", name, i->count, i->keyword_count);
    case ZC_CODE_STORE:
        return snprintf(text, room, "=%s ", name);
    default:
        return snprintf(text, room, "; ");
    }
}

static void write_program(const zc_program *program, char *text, size_t room)
{
    size_t used = 0;
    for (size_t i = 0; i < program->count; i++)
        used += (size_t)write_instruction(program, &program->code[i], text + used, room - used);
    text[used - 1] = '\0';
}

typedef struct row {
    const char *source;
    const char *postfix;
} row;

/* The order of evaluation is Python's: precedence, grouping, and signs. */
static const row rows[] = {
    {"1 + 2 * 3", "1 2 3 * + ;"},
    {"1 - 2 - 3", "1 2 - 3 - ;"},
    {"x ** y ** z", "x y z ** ** ;"},
    {"-x ** 2", "x 2 ** unary- ;"},
    {"2 ** -1", "2 -1 ** ;"},
    {"2 ** -x ** 2", "2 x 2 ** unary- ** ;"},
    {"-x * y", "x unary- y * ;"},
    {"x * -y + z", "x y unary- * z + ;"},
    {"- - 1", "1 ;"},
    {"-(1)", "-1 ;"},
    {"~-+x", "x unary+ unary- unary~ ;"},
    {"a | b ^ c & d << e + f", "a b c d e f + << & ^ | ;"},
    {"a + b << c & d ^ e | f", "a b + c << d & e ^ f | ;"},
    {"a * b @ c / d // e % f", "a b * c @ d / e // f % ;"},
    {"a < b & c", "a b c & < ;"},
    {"(a < b) == (c > d)", "a b < c d > == ;"},
    {"a.T.mT[0].shape", "a .T .mT 0 [] .shape ;"},
    {"-a.T ** b[1]", "a .T b 1 [] ** unary- ;"},
    {"f()", "f(0,0) ;"},
    {"f(x)", "x f(1,0) ;"},
    {"f(x, 1,)", "x 1 f(2,0) ;"},
    {"f(x, k=1, j=a + b)", "x 'k' 1 'j' a b + f(1,2) ;"},
    {"f(k == 1)", "k 1 == f(1,0) ;"},
    {"xla.and(x, y)", "x y xla.and(2,0) ;"},
    {"a . b . c (1)", "a .b 1 .c(2,0) ;"},
    {"xla . b (1)", "1 xla.b(1,0) ;"},
    {"np.sum(np.pi)", "pi sum(1,0) ;"},
    {"(a + b).f(x=1)[0].g()", "a b + 'x' 1 .f(1,1) 0 [] .g(1,0) ;"},
    {"x + f(g(y))", "x y g(1,0) f(1,0) + ;"},
    {"()", "tuple0 ;"},
    {"(1,)", "1 tuple1 ;"},
    {"(1)", "1 ;"},
    {"(1, 2)", "1 2 tuple2 ;"},
    {"1, 2", "1 2 tuple2 ;"},
    {"1,", "1 tuple1 ;"},
    {"[]", "list0 ;"},
    {"[1, [2,],]", "1 2 list1 list2 ;"},
    {"x[1]", "x 1 [] ;"},
    {"x[1,]", "x 1 tuple1 [] ;"},
    {"x[1, 2]", "x 1 2 tuple2 [] ;"},
    {"x[:]", "x none none none slice [] ;"},
    {"x[1:]", "x 1 none none slice [] ;"},
    {"x[:1]", "x none 1 none slice [] ;"},
    {"x[::2]", "x none none 2 slice [] ;"},
    {"x[1:2:3]", "x 1 2 3 slice [] ;"},
    {"x[::]", "x none none none slice [] ;"},
    {"x[a + 1:b, ..., None]", "x a 1 + b none slice ... None tuple3 [] ;"},
    {"x[:, 1:,]", "x none none none slice 1 none none slice tuple2 [] ;"},
    {"x[f(1):y[2:3]]", "x 1 f(1,0) y 2 3 none slice [] none slice [] ;"},
    {"a = 1; a", "1 =a a ;"},
    {"a = 1, 2", "1 2 tuple2 =a"},
    {"a = 1\n\n# note\n\nb = a;; b", "1 =a a =b b ;"},
    {"(1 +\n 2)", "1 2 + ;"},
    {"f(x # note\n, 1)", "x 1 f(2,0) ;"},
    {"'mode'", "'mode' ;"},
    {"2j", "2j ;"},
    {"1_0.5e1J", "105j ;"},
    {"007j", "7j ;"},
    {"99999999999999999999j", "1e+20j ;"},
    {".5 + 1e3", "0.5 1000 + ;"},
    {"True == (None)", "True None == ;"},
};

Test(parser, orders_as_python_does)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        zc_program program = {0};
        zc_fault fault = {0};
        char text[512] = "";
        cr_assert(zc_parse(rows[i].source, strlen(rows[i].source), &program, &fault), "%s: %s", rows[i].source,
                  fault.text);
        write_program(&program, text, sizeof text);
        cr_expect(strcmp(text, rows[i].postfix) == 0, "%s becomes\n%s, not\n%s", rows[i].source, text, rows[i].postfix);
        zc_program_free(&program);
    }
}

/* ---- Syntax errors ---- */

typedef struct error_row {
    const char *source;
    int line;
    int column;
    const char *sentence; /* a part of it */
} error_row;

static const error_row errors[] = {
    {"1 +", 0, 4, "expected a value, found the end"},
    {"1 + )", 0, 5, "expected a value, found ')'"},
    {"* 2", 0, 1, "expected a value, found '*'"},
    {"1 2", 0, 3, "expected an operator, found '2'"},
    {"x y", 0, 3, "expected an operator, found 'y'"},
    {"x ~ y", 0, 3, "expected an operator, found '~'"},
    {"(1", 0, 1, "never closed"},
    {"f(1, [2)", 0, 8, "closes none"},
    {"f(x[1:", 0, 4, "never closed"},
    {"[1, 2", 0, 1, "never closed"},
    {"f(", 0, 2, "never closed"},
    {"(1]", 0, 3, "closes none"},
    {"1)", 0, 2, "closes none"},
    {")", 0, 1, "expected a value, found ')'"},
    {"(,)", 0, 2, "expected a value, found ','"},
    {"(1,,2)", 0, 4, "expected a value, found ','"},
    {"f(x; y)", 0, 4, "expected a closing bracket, found ';'"},
    {"f(;)", 0, 3, "expected a closing bracket, found ';'"},
    {"x[]", 0, 3, "the subscript is empty"},
    {"x[1:2:3:4]", 0, 8, "three parts at most"},
    {"(1:2)", 0, 3, "only in a subscript"},
    {"(:)", 0, 2, "only in a subscript"},
    {"1:2", 0, 2, "only in a subscript"},
    {": 1", 0, 1, "expected a value, found ':'"},
    {"f(k=)", 0, 5, "expected a value, found ')'"},
    {"f(k=1, 2)", 0, 9, "positional argument follows"},
    {"f(1)(2)", 0, 5, "only names are called"},
    {"(f)(2)", 0, 4, "only names are called"},
    {"2(3)", 0, 2, "only names are called"},
    {"x[0](1)", 0, 5, "only names are called"},
    {"x.", 0, 3, "expected a name after the dot, found the end"},
    {"x.5", 0, 2, "expected an operator, found '.5'"},
    {"x.(1)", 0, 3, "expected a name after the dot"},
    {"a < b < c", 0, 7, "comparisons do not chain"},
    {"a == b + 1 != c", 0, 12, "comparisons do not chain"},
    {"x and y", 0, 3, "logical_and"},
    {"not x", 0, 1, "logical_not"},
    {"x if y else z", 0, 3, "where"},
    {"lambda x: x", 0, 1, "not part of the language"},
    {"x in y", 0, 3, "not part of the language"},
    {"1 = 2", 0, 3, "only one name is bound"},
    {"a = b = 2", 0, 7, "only one name is bound"},
    {"x[0] = 2", 0, 6, "only one name is bound"},
    {"x += 2", 0, 4, "expected a value, found '='"},
    {"True = 2", 0, 1, "cannot be bound"},
    {"a =", 0, 4, "expected a value, found the end"},
    {"x $ y", 0, 3, "means nothing here"},
    {"'open", 0, 1, "the string is not closed"},
    {"007", 0, 1, "does not begin with 0"},
    {"x + 18446744073709551616", 0, 5, "an integer has 64 bits at most"},
    {"0x1_0000_0000_0000_0000", 0, 1, "an integer has 64 bits at most"},
    {"\xc3\xa9 + 1", 0, 1, "means nothing here"},
    {"'\xc3\xa9' + )", 0, 7, "expected a value"},
    {"a = 1\nb = +\nc", 2, 6, "found the end of the line"},
    {"x\n  y z", 2, 5, "found 'z'"},
    {"(1 +\n2))", 2, 3, "closes none"},
    {"x + averyveryveryverylongname yetanotherveryverylongname", 0, 31, "found 'yetanotherveryverylongna...'"},
    {"", 0, 0, "the expression is empty"},
    {" # nothing\n;\n", 0, 0, "the expression is empty"},
};

static void check_error(const error_row *e)
{
    zc_program program = {0};
    zc_fault fault = {0};
    char place[64] = "";
    bool ok = zc_parse(e->source, strlen(e->source), &program, &fault);
    cr_expect_not(ok, "%s is no error", e->source);
    cr_expect(zc_exit_code(&fault) == ZC_EXIT_USAGE, "%s: exit code %d", e->source, zc_exit_code(&fault));
    if (e->line > 0)
        (void)snprintf(place, sizeof place, "at line %d, column %d: ", e->line, e->column);
    else if (e->column > 0 && strchr(e->source, '\n') == NULL)
        (void)snprintf(place, sizeof place, "at column %d: ", e->column);
    cr_expect(strstr(fault.text, place) != NULL && strstr(fault.text, e->sentence) != NULL, "%s says\n%s\nnot %s%s",
              e->source, fault.text, place, e->sentence);
    zc_program_free(&program);
}

Test(parser, names_the_place_of_an_error)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        check_error(&errors[i]);
}

static const char *fault_of(const char *source, zc_fault *fault)
{
    zc_program program = {0};
    (void)zc_parse(source, strlen(source), &program, fault);
    zc_program_free(&program);
    return fault->text;
}

Test(parser, puts_a_caret_under_the_place)
{
    zc_fault fault = {0};
    cr_expect_str_eq(fault_of("a\t+ )", &fault),
                     "syntax error at column 5: expected a value, found ')'\n    a + )\n        ^");
    fault = (zc_fault){0};
    cr_expect_str_eq(fault_of("'\xc3\xa9' )", &fault),
                     "syntax error at column 5: this bracket closes none that is open\n"
                     "    '\xc3\xa9' )\n        ^");
}

/* The caret of a long line stands under the same character, and what is shown begins and ends with whole ones. */
Test(parser, shows_a_part_of_a_long_line)
{
    char many[401] = "";
    for (int i = 0; i < 200; i++)
        strcat(many, "\xc3\xa9");
    for (int before = 0; before < 8; before++) {
        char source[1024];
        zc_fault fault = {0};
        (void)snprintf(source, sizeof source, "'%.*s%s'%*s)%.*s%s", before, "aaaaaaaa", many, before + 1, "", before,
                       "aaaaaaaa", many);
        const char *text = fault_of(source, &fault), *line = strchr(text, '\n') + 1, *caret = strchr(line, '\n') + 1;
        int64_t column = 0;
        for (const char *c = line; *c != ')'; c++)
            column += ((unsigned char)*c & 0xc0) != 0x80;
        cr_expect(strncmp(line, "    ...\xc3", 8) == 0, "%s", line);
        cr_expect(caret[-2] == '.' && ((unsigned char)caret[-5] == 0xa9), "%s", line);
        cr_expect(caret[column] == '^' && strlen(caret) < 120, "%s", text);
    }
}

/* ---- Size ---- */

static char *repeat(const char *first, const char *part, const char *last, size_t count)
{
    size_t size = strlen(part);
    char *text = malloc(strlen(first) + size * count + strlen(last) + 1), *end = text;
    cr_assert_not_null(text);
    end += sprintf(end, "%s", first);
    for (size_t i = 0; i < count; i++, end += size)
        memcpy(end, part, size);
    (void)sprintf(end, "%s", last);
    return text;
}

/* Chains and nesting of any length take linear time and no stack: 64 KiB of it would be gone at a fraction of this. */
Test(parser, takes_any_length)
{
    static const char *const parts[] = {"x + ", "-", "(", "f(", "x[", "[", "x ** ", "x; ", "y = x\n", "x, ", "f(k="};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        char *source = repeat("", parts[i], "x", 200000);
        zc_program program = {0};
        zc_fault fault = {0};
        clock_t begun = clock();
        bool ok = zc_parse(source, strlen(source), &program, &fault);
        double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
        bool is_open = strchr(parts[i], '(') != NULL || strchr(parts[i], '[') != NULL;
        cr_expect(ok == !is_open, "%s: %s", parts[i], fault.text);
        cr_expect(seconds < 5, "%s takes %g s", parts[i], seconds);
        zc_program_free(&program);
        free(source);
    }
}

Test(parser, refuses_a_source_that_is_too_long)
{
    zc_program program = {0};
    zc_fault fault = {0};
    cr_expect_not(zc_parse("1", ZC_MAX_SOURCE_BYTES + (size_t)1, &program, &fault));
    cr_expect_eq(zc_exit_code(&fault), ZC_EXIT_USAGE);
    zc_program_free(&program);
}

/* ---- Any tokens ---- */

/* Follows the depth of a program's stack; the parser promises that it never runs short and ends empty. */
static void check_balance(const zc_program *program, const char *source)
{
    int64_t depth = 0;
    for (size_t i = 0; i < program->count; i++) {
        const zc_instruction *in = &program->code[i];
        int64_t taken = 0, given = 1;
        if (in->code == ZC_CODE_UNARY || in->code == ZC_CODE_ATTRIBUTE)
            taken = 1;
        else if (in->code == ZC_CODE_BINARY || in->code == ZC_CODE_SUBSCRIPT)
            taken = 2;
        else if (in->code == ZC_CODE_SLICE)
            taken = 3;
        else if (in->code == ZC_CODE_TUPLE || in->code == ZC_CODE_LIST)
            taken = in->count;
        else if (in->code == ZC_CODE_CALL || in->code == ZC_CODE_METHOD)
            taken = in->count + 2 * (int64_t)in->keyword_count;
        else if (in->code == ZC_CODE_STORE || in->code == ZC_CODE_RESULT)
            taken = 1, given = 0;
        cr_assert(taken <= depth, "%s runs short at %zu", source, i);
        depth += given - taken;
        bool ends_statement = in->code == ZC_CODE_STORE || in->code == ZC_CODE_RESULT;
        cr_assert(!ends_statement || depth == 0, "%s leaves %lld values", source, (long long)depth);
    }
    cr_assert_eq(depth, 0, "%s", source);
}

Test(parser, balances_or_refuses_any_tokens)
{
    static const char *const tokens[] = {"x",  "1", ".5", "(", ")",   "[",  "]",  ",",   ":",  ";",   "\n",  "+", "-",
                                         "**", "<", "=",  ".", "...", "f(", "k=", "'s'", "x[", "y =", "and", "~"};
    zc_random_begin("parser");
    for (int i = 0; i < 50000 * zc_test_scale(); i++) {
        char source[256] = "";
        int count = (int)zc_random_range(0, 14);
        for (int k = 0; k < count; k++) {
            strcat(source, tokens[zc_random_range(0, sizeof tokens / sizeof tokens[0] - 1)]);
            strcat(source, " ");
        }
        zc_program program = {0};
        zc_fault fault = {0};
        if (zc_parse(source, strlen(source), &program, &fault))
            check_balance(&program, source);
        else
            cr_assert_eq(zc_exit_code(&fault), ZC_EXIT_USAGE, "%s", source);
        zc_program_free(&program);
    }
}
