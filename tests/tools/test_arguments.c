/*
 * Arguments of the command's functions: a call of every function, and then every argument of it in turn replaced by
 * what it is not, and every allocation on its way in turn failing, the command's own and the library's.
 */
#include "tests/support/zc_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expressions/functions/function.h"
#include "tests/support/failing.h"
#include "tests/tools/failing_malloc.h"
#include "tests/tools/session_text.h"
#include "tools/base/report.h"

enum { MOST_ARGUMENTS = 6 };

typedef struct call {
    const char *function;
    const char *arguments[MOST_ARGUMENTS];
} call;

static const call calls[] = {
#define ZC_CALL(function, ...) {function, {__VA_ARGS__}},
#include "tests/tools/calls.def"
};

enum { CALL_COUNT = sizeof calls / sizeof calls[0] };

static const struct {
    const char *name, *parameters, *family;
} functions[] = {
#define ZC_FUNCTION(name, parameters, family, function) {name, parameters, #family},
#define ZC_CALL_FUNCTION(name, parameters, function)    {name, parameters, "call"},
#define ZC_TUPLE_FUNCTION(name, parameters, function)   {name, parameters, "tuple"},
#define ZC_DEFINED_FUNCTION(name, parameters, body)     {name, parameters, "defined"},
#include "expressions/functions/functions.def"
};

enum { FUNCTION_COUNT = sizeof functions / sizeof functions[0] };

/* A row whose name an earlier row has is none. */
static bool is_hidden(int i)
{
    return strcmp(zc_function_find(functions[i].name)->parameters, functions[i].parameters) != 0;
}

static const char names[] = "a = reshape(arange(6), (2, 3)); f = a / 4.0; v = arange(3) / 4.0\n"
                            "c = reshape(arange(24), (2, 3, 4)); x = copy([1.0, 2.0])\n";

/* The call as an expression, with another argument `i` when `other` is not NULL. What it gives may be no tensor. */
static void write_call(char *text, size_t room, const call *c, int i, const char *other)
{
    size_t used = (size_t)snprintf(text, room, "%sr = %s(", names, c->function);
    for (int k = 0; k < MOST_ARGUMENTS && c->arguments[k] != NULL; k++)
        used += (size_t)snprintf(text + used, room - used, "%s%s", k > 0 ? ", " : "",
                                 other != NULL && k == i ? other : c->arguments[k]);
    (void)snprintf(text + used, room - used, "); 42");
}

static char *run(const char *text, zc_fault *fault)
{
    zc_dtype dtype;
    *fault = (zc_fault){0};
    return zc_text_of_expression(text, ZC_EXECUTOR_TILE, &dtype, fault);
}

/* ---- The calls themselves ---- */

/* A call of the function from the table, or else one that its family takes; false when it is in neither, or hidden. */
static bool find_call(int i, call *out)
{
    for (int k = 0; k < CALL_COUNT && !is_hidden(i); k++) {
        if (strcmp(calls[k].function, functions[i].name) == 0) {
            *out = calls[k];
            return true;
        }
    }
    static const call families[] = {{"unary", {"a"}},
                                    {"binary", {"a", "a"}},
                                    {"ternary", {"a", "a", "a"}},
                                    {"reduction", {"a", "0", "True"}},
                                    {"accumulation", {"a", "0", "float32", "True"}},
                                    {"xla_binary", {"a", "a", "(0, 1)"}}};
    for (size_t k = 0; k < sizeof families / sizeof families[0] && !is_hidden(i); k++) {
        if (strcmp(families[k].function, functions[i].family) == 0) {
            *out = families[k];
            out->function = functions[i].name;
            return true;
        }
    }
    return false;
}

static int count_arguments(const call *c)
{
    int count = 0;
    while (count < MOST_ARGUMENTS && c->arguments[count] != NULL)
        count++;
    return count;
}

static int count_parameters(const char *parameters)
{
    int count = 1;
    for (const char *at = parameters; *at != '\0'; at++)
        count += *at == ',';
    return count;
}

Test(arguments, of_every_function_are_taken)
{
    for (int i = 0; i < FUNCTION_COUNT; i++) {
        call c;
        char text[1024];
        zc_fault fault;
        if (is_hidden(i))
            continue;
        cr_assert(find_call(i, &c), "%s: no row of calls.def", functions[i].name);
        cr_expect(functions[i].parameters[0] == '*' || count_arguments(&c) == count_parameters(functions[i].parameters),
                  "%s: %d arguments of (%s)", functions[i].name, count_arguments(&c), functions[i].parameters);
        cr_expect_leq(count_parameters(functions[i].parameters), ZC_MAX_PARAMETERS);
        write_call(text, sizeof text, &c, 0, NULL);
        char *value = run(text, &fault);
        cr_expect(value != NULL, "%s: %s", text, fault.text);
        free(value);
    }
}

/* ---- What arguments are not ---- */

/* Refused in a sentence that begins with the function's name. */
static void check_refused(const call *c, int i, const char *other)
{
    char text[1024];
    zc_fault fault;
    size_t length = strlen(c->function);
    write_call(text, sizeof text, c, i, other);
    char *value = run(text, &fault);
    cr_expect(value == NULL, "%s is taken", text);
    cr_expect(zc_exit_code(&fault) == ZC_EXIT_REFUSED && strchr(fault.text, '\n') == NULL, "%s: %d, %s", text,
              zc_exit_code(&fault), fault.text);
    cr_expect(strncmp(fault.text, c->function, length) == 0 && strncmp(fault.text + length, ": ", 2) == 0, "%s: %s",
              text, fault.text);
    free(value);
}

/* No argument is this string, and none is as many things. */
Test(arguments, are_refused_in_the_functions_name)
{
    for (int f = 0; f < FUNCTION_COUNT; f++) {
        call c;
        if (!find_call(f, &c))
            continue;
        for (int i = 0; i < count_arguments(&c); i++)
            check_refused(&c, i, "'no'");
    }
    for (int k = 0; k < CALL_COUNT; k++) {
        for (int i = 0; i < count_arguments(&calls[k]); i++) {
            check_refused(&calls[k], i, "'no'");
            check_refused(&calls[k], i, "('no', 1.5, float32)");
        }
    }
}

static const char *const others[] = {
    "None",
    "True",
    "-1",
    "-9",
    "7",
    "10**9",
    "-10**12",
    "9223372036854775807",
    "1.5",
    "2j",
    "nan",
    "()",
    "[]",
    "(1,)",
    "(0, -1)",
    "(1, 2)",
    "(1, 'no')",
    "(0,)*65",
    "((1,),)",
    "((0, 1), (0, 1))",
    "((0, 1), 'no')",
    "((1, 2), 3)",
    "((0, 1), 0, 1)",
    "(v, 'no')",
    "[[[1, 2], [3]]]",
    "int8",
    "f",
    "bool",
    "...",
    "'none'",
    "ones(())",
    "zeros((2, 0, 3))",
};

/* Whatever an argument is, the call gives something, or one sentence that names a function. */
Test(arguments, may_be_anything)
{
    for (int k = 0; k < CALL_COUNT; k++) {
        for (int i = 0; i < count_arguments(&calls[k]); i++) {
            for (size_t o = 0; o < sizeof others / sizeof others[0]; o++) {
                char text[1024];
                zc_fault fault;
                write_call(text, sizeof text, &calls[k], i, others[o]);
                char *value = run(text, &fault);
                cr_expect(value == NULL ? zc_exit_code(&fault) == ZC_EXIT_REFUSED : strcmp(value, "42") == 0,
                          "%s: %d, %s", text, zc_exit_code(&fault), fault.text);
                cr_expect(value != NULL || (strstr(fault.text, ": ") != NULL && strchr(fault.text, '\n') == NULL),
                          "%s: %s", text, fault.text);
                free(value);
            }
        }
    }
}

/* ---- When memory runs out ---- */

/* Runs a call with allocation k failing, of the command's (state NULL) or of its context's; whether it was reached. */
static bool run_failing(const char *text, int k, zc_failing *state)
{
    zc_fault fault;
    if (state == NULL)
        zc_malloc_fail(k, false);
    else
        zc_context_fail(state, k);
    char *value = run(text, &fault);
    bool has_failed = state == NULL ? zc_malloc_has_failed() : state->calls >= k;
    zc_malloc_fail(0, false);
    zc_context_fail(NULL, 0);
    if (value == NULL)
        cr_expect(zc_exit_code(&fault) == ZC_EXIT_REFUSED && strstr(fault.text, "out of memory") != NULL,
                  "%s, allocation %d: %d, %s", text, k, zc_exit_code(&fault), fault.text);
    else
        cr_expect_str_eq(value, "42", "%s, allocation %d", text, k);
    if (state != NULL)
        cr_expect(state->blocks == 0 && state->faults == 0, "%s, allocation %d: %d left, %d wrong", text, k,
                  (int)state->blocks, (int)state->faults);
    free(value);
    return has_failed;
}

Test(arguments, may_run_out_of_the_commands_memory)
{
    for (int c = 0; c < CALL_COUNT; c++) {
        char text[1024];
        write_call(text, sizeof text, &calls[c], 0, NULL);
        for (int k = 1; run_failing(text, k, NULL); k++)
            continue;
    }
}

Test(arguments, may_run_out_of_the_librarys_memory)
{
    for (int c = 0; c < CALL_COUNT; c++) {
        char text[1024];
        zc_failing state;
        write_call(text, sizeof text, &calls[c], 0, NULL);
        for (int k = 1; run_failing(text, k, &state); k++)
            continue;
    }
}
