/* The command when memory runs out: every allocation of its own and of the library's in its context fails in turn. */
#include "tests/support/zc_test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/api/archives.h"
#include "tests/tools/failing_malloc.h"
#include "tests/tools/spawn.h"
#include "tools/base/report.h"
#include "tools/command/convert_command.h"
#include "tools/command/eval_command.h"
#include "tools/command/explain_command.h"
#include "tools/command/info_command.h"
#include "tools/command/session.h"
#include "tools/command/show_command.h"
#include "tools/output/file_printer.h"

/* Enough values for the stack to grow. */
#define ZEROS_16 "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,"
#define ZEROS_64 ZEROS_16 ZEROS_16 ZEROS_16 ZEROS_16

static const char *const programs[] = {
    "x = arange(6); y = reshape(x, (2, 3)); y[y > 1], (y[[True, False]], [1, 2]), y[[], [1]]",
    "1 + 2",
    "a = (1, 2) + (3,); b = [a, a] * 1; sum(reshape(b, a[::-1]))",
    "x = ones((2, 3)); y = where(x > 0, full((2, 3), 2.5), x.T[0, 0]); sum(y, axis=(0, 1)).shape",
    "tf.broadcast_to([[1], [2]], shape=(2, 5))[..., ::-1] @ 3",
    "split(ones(6), 3)[1] + split(ones(4), (1, 2))[0]",
    "x = broadcast_arrays([[1], [2]], 5); y = unstack(x[0]); reshape(y[1], broadcast_shapes((1,), 1))",
    "u = unique_all([3, 1, 3])[2]; sort(u, descending=True) + nonzero(top_k([2, 1], 1)[0])[0]",
    "x = meshgrid([1, 2], [3], indexing='ij')[0]; astype(isin(x, [2]), result_type(int8, x, 1.5))",
    "asarray([isdtype(int8, ('bool', int8)), can_cast(int8, int16)], dtype=int8)",
    "no_such_name + 1",
    "1 +",
    "arange(10)[[1]]",
    "x = ones(3, dtype=float32)[None, :, 1:2:1] if 1",
    "f(k='s', j=[(1, 2), ()]); x.T.mT[...]",
    "a = arange(3); b = -(a + 2j); ((((((((((((((((((((1",
    "(((((((((((((((((((((((1, (2, 3)) == (1, (2, 3))))))))))))))))))))))))[0]",
    "(((((((((((((((-ones(1))))))))))))))))",
    "(((((((((((((((1 + 2)))))))))))))))",
    "(((((((((((((((sum(1))))))))))))))))",
    "sum([" ZEROS_64 "1])",
    "(" ZEROS_64 "broadcast_shapes())[0]",
    "(" ZEROS_64 "())[0]",
    "(" ZEROS_64 "(1, 2)[0])[64]",
};

/* The command's own allocations, or those of the library in its context, which may do without some. */
static void begin_failing(zc_failing *library, int k, bool is_sticky)
{
    if (library == NULL)
        zc_malloc_fail(k, is_sticky);
    else
        zc_context_fail(library, k);
    if (library != NULL)
        library->is_sticky = is_sticky;
}

/* Tells whether the failure was reached. */
static bool end_failing(const zc_failing *library, int k)
{
    bool has_failed = library == NULL ? zc_malloc_has_failed() : library->calls >= k;
    zc_malloc_fail(0, false);
    zc_context_fail(NULL, 0);
    if (library != NULL)
        cr_expect(library->blocks == 0 && library->faults == 0, "allocation %d: %d left, %d wrong", k,
                  (int)library->blocks, (int)library->faults);
    return has_failed;
}

/* Returns whether the failure was reached. Afterwards the sanitizers say whether everything came back. */
static bool run_with_failure(const char *program, int k, bool is_sticky, zc_failing *library)
{
    zc_request request = {.subcommand = ZC_SUBCOMMAND_EVAL, .expression = program, .memory_limit = 1 << 30};
    zc_session session;
    zc_fault fault = {0};
    FILE *nowhere = fopen("/dev/null", "w");
    begin_failing(library, k, is_sticky);
    bool ok = zc_session_begin(&session, &request, &fault) &&
              zc_print_tensors(zc_file_printer(nowhere, NULL), session.results.count,
                               (const zc_tensor *const *)session.results.tensors, &fault);
    zc_session_end(&session);
    bool has_failed = end_failing(library, k);
    fclose(nowhere);
    if (!has_failed)
        return false;
    cr_expect(library != NULL || !ok, "%s succeeds without its allocation %d", program, k);
    if (!ok)
        cr_expect(zc_exit_code(&fault) == ZC_EXIT_REFUSED && strstr(fault.text, "out of memory") != NULL,
                  "%s, allocation %d: %d, %s", program, k, zc_exit_code(&fault), fault.text);
    return true;
}

Test(memory, may_run_out_anywhere)
{
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        int reached = 0;
        for (int k = 1; run_with_failure(programs[i], k, false, NULL) && run_with_failure(programs[i], k, true, NULL);
             k++)
            reached = k;
        cr_expect(reached >= 2, "%s: only %d allocations", programs[i], reached);
    }
}

Test(memory, of_the_library_may_run_out_anywhere)
{
    static const char *const computed[] = {
        "a = -ones((2, 3)) + 0.5; sum(a.T.mT @ a, axis=0)[0, None, ..., ::2]",
        "'a' == 'a'",
        "[[1, 2], [3, 4j]] ** 2",
        "sum(sort(reshape(arange(30000), (30, 1000))[::-1], axis=0)) + mean([1.5, 2.5])",
        "unique_all([3, 1, 3])[0] + arange(0, 1, 0.4)",
        "arange(2000)",
    };
    for (size_t i = 0; i < sizeof computed / sizeof computed[0]; i++) {
        zc_failing library;
        for (int k = 1; run_with_failure(computed[i], k, false, &library); k++)
            (void)run_with_failure(computed[i], k, true, &library);
    }
}

/* The list of instructions grows wherever it is full: values before the last statement move that place along. */
Test(memory, may_run_out_at_any_instruction)
{
    for (int before = 0; before < 64; before++) {
        char program[512] = "[";
        for (int i = 0; i < before; i++)
            strcat(program, "2,");
        strcat(program,
               "]; a = arange(2) < 3; b = 1 - a[1:, None].T ** -a, sum(a, axis=(0,))[:, 0][...], 'x', 3j; 5 - 4 - 3");
        for (int k = 1; run_with_failure(program, k, false, NULL); k++)
            continue;
    }
}

/* ---- The subcommands ---- */

static bool run_command(const zc_request *request, zc_fault *fault)
{
    switch (request->subcommand) {
    case ZC_SUBCOMMAND_EVAL:
        return zc_eval_command(request, fault);
    case ZC_SUBCOMMAND_EXPLAIN:
        return zc_explain_command(request, fault);
    case ZC_SUBCOMMAND_SHOW:
        return zc_show_command(request, fault);
    case ZC_SUBCOMMAND_CONVERT:
        return zc_convert_command(request, fault);
    default:
        return zc_info_command(request, fault);
    }
}

/* An archive of more arrays than there is room for at first. */
static void make_archive(const char *path)
{
    enum { ARRAYS = 20 };
    char names[ARRAYS][8];
    const char *pointers[ARRAYS];
    const zc_tensor *arrays[ARRAYS];
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    for (int i = 0; i < ARRAYS; i++) {
        (void)snprintf(names[i], sizeof names[i], "a%d", i);
        pointers[i] = names[i];
        arrays[i] = zc_iota(ctx, i + 1);
    }
    cr_assert_eq(zc_save_members(ARRAYS, arrays, pointers, path), ZC_OK);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* The same of a whole subcommand, whose output goes nowhere. */
static bool fails_in_command(const zc_request *request, int k, zc_failing *library)
{
    zc_fault fault = {0};
    fflush(stdout);
    int kept = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY);
    cr_assert(kept >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0);
    begin_failing(library, k, false);
    bool ok = run_command(request, &fault);
    bool has_failed = end_failing(library, k);
    fflush(stdout);
    (void)dup2(kept, STDOUT_FILENO);
    (void)close(kept);
    (void)close(nowhere);
    cr_expect(ok == (zc_exit_code(&fault) == ZC_EXIT_DONE), "allocation %d: %s", k, fault.text);
    if (!ok)
        cr_expect(strstr(fault.text, "out of memory") != NULL, "allocation %d: %s", k, fault.text);
    return has_failed;
}

Test(memory, may_run_out_in_every_subcommand)
{
    const char *many = "many.npz", *picture = "p.png", *other = "many.safetensors", *standard = "-";
    zc_enter_folder("memory_subcommands");
    make_archive(many);
    const char *files[] = {ZC_TEST_SOURCE_DIR "/examples/data/digits.npy"};
    const char *named[] = {"x=" ZC_TEST_SOURCE_DIR "/examples/data/digits.npy"};
    const zc_request requests[] = {
        {.subcommand = ZC_SUBCOMMAND_EVAL, .expression = "sin(ones(3)) + 1", .json = true, .memory_limit = 1 << 20},
        {.subcommand = ZC_SUBCOMMAND_EVAL, .expression = "x[0]", .positional = named, .positional_count = 1},
        {.subcommand = ZC_SUBCOMMAND_EXPLAIN, .expression = "sum(sin(ones(3)) + 1)"},
        {.subcommand = ZC_SUBCOMMAND_EXPLAIN, .expression = "sum(sin(ones(3)) + 1)", .format = ZC_JSON},
        {.subcommand = ZC_SUBCOMMAND_EXPLAIN, .expression = "sum(sin(ones(3)) + 1)", .format = ZC_DOT},
        {.subcommand = ZC_SUBCOMMAND_EXPLAIN, .expression = "x = arange(3); sort(x[x > 0])"},
        {.subcommand = ZC_SUBCOMMAND_INFO, .positional = files, .positional_count = 1},
        {.subcommand = ZC_SUBCOMMAND_SHOW, .expression = "sin(arange(200))"},
        {.subcommand = ZC_SUBCOMMAND_SHOW, .expression = "x", .positional = named, .positional_count = 1},
        {.subcommand = ZC_SUBCOMMAND_SHOW, .expression = "arange(9)", .histogram = true},
        {.subcommand = ZC_SUBCOMMAND_SHOW, .expression = "ones((2, 3))", .outputs = &picture, .output_count = 1},
        {.subcommand = ZC_SUBCOMMAND_CONVERT,
         .positional = &many,
         .positional_count = 1,
         .outputs = &other,
         .output_count = 1},
        {.subcommand = ZC_SUBCOMMAND_CONVERT,
         .positional = files,
         .positional_count = 1,
         .outputs = &standard,
         .output_count = 1},
    };
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        zc_failing library;
        for (int k = 1; fails_in_command(&requests[i], k, NULL); k++)
            continue;
        for (int k = 1; fails_in_command(&requests[i], k, &library); k++)
            continue;
    }
}

/* A variable that is read from a file is no copy of it, but takes memory. */
Test(memory, may_run_out_for_a_variable_of_a_file)
{
    zc_enter_folder("memory_variable");
    const char *file = "x.npy", *named[] = {"x=x.npy"};
    const zc_request saved = {
        .subcommand = ZC_SUBCOMMAND_EVAL, .expression = "ones(3)", .outputs = &file, .output_count = 1};
    const zc_request request = {
        .subcommand = ZC_SUBCOMMAND_EVAL, .expression = "grad(sum(x), x)", .positional = named, .positional_count = 1};
    zc_failing library;
    int reached = 0;
    cr_assert_not(fails_in_command(&saved, 0, NULL));
    for (int k = 1; fails_in_command(&request, k, &library); k++)
        reached = k;
    cr_expect_geq(reached, 2);
}

/* Output and errors of a member that is no array go nowhere. */
static bool fails_for_a_member(zc_subcommand subcommand, int k, bool *is_told)
{
    const char *file = "t.npz", *copy = "u.npz";
    const zc_request request = {
        .subcommand = subcommand, .positional = &file, .positional_count = 1, .outputs = &copy, .output_count = 1};
    zc_fault fault = {0};
    const int kept = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY);
    cr_assert(kept >= 0 && dup2(nowhere, STDERR_FILENO) >= 0);
    begin_failing(NULL, k, false);
    cr_expect_not(run_command(&request, &fault));
    const bool has_failed = end_failing(NULL, k);
    (void)dup2(kept, STDERR_FILENO);
    (void)close(kept);
    (void)close(nowhere);
    *is_told = *is_told || strstr(fault.text, "out of memory") != NULL;
    return has_failed;
}

Test(memory, may_run_out_for_a_member_that_is_no_array)
{
    static archive a;
    static const zc_subcommand subcommands[] = {ZC_SUBCOMMAND_INFO, ZC_SUBCOMMAND_CONVERT};
    zc_enter_folder("memory_member");
    archive_store(&a, "text", "no array", 8);
    archive_write(&a, "t.npz");
    for (int i = 0; i < 2; i++) {
        bool is_told = false;
        for (int k = 1; fails_for_a_member(subcommands[i], k, &is_told); k++)
            continue;
        cr_expect(is_told);
    }
}

Test(memory, may_run_out_for_arguments)
{
    zc_request request;
    zc_fault fault = {0};
    char *arguments[] = {(char[]){"1"}};
    zc_malloc_fail(1, true);
    cr_expect_not(zc_request_parse(ZC_SUBCOMMAND_EVAL, 1, arguments, &request, &fault));
    zc_malloc_fail(0, false);
    cr_expect_eq(zc_exit_code(&fault), ZC_EXIT_REFUSED);
    zc_request_free(&request);
}

Test(memory, may_run_out_for_the_expressions_file)
{
    zc_enter_folder("memory");
    FILE *file = fopen("program.zc", "w");
    cr_assert_not_null(file);
    fputs("1 + 2", file);
    cr_assert_eq(fclose(file), 0);
    zc_request request = {.subcommand = ZC_SUBCOMMAND_EVAL, .expression_file = "program.zc"};
    zc_session session;
    zc_fault fault = {0};
    zc_malloc_fail(1, false);
    cr_expect_not(zc_session_begin(&session, &request, &fault));
    zc_session_end(&session);
    zc_malloc_fail(0, false);
    cr_expect_str_eq(fault.text, "out of memory");
}
