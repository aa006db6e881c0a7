/* The command when memory runs out: every allocation of its own fails in turn, once and for good. */
#include "tests/support/zc_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tools/failing_malloc.h"
#include "tests/tools/spawn.h"
#include "tools/commands.h"
#include "tools/print.h"
#include "tools/session.h"

static const char *const programs[] = {
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
};

/* Returns whether the failure was reached. Afterwards the sanitizers say whether everything came back. */
static bool run_with_failure(const char *program, int k, bool is_sticky)
{
    zc_request request = {.subcommand = ZC_SUBCOMMAND_EVAL, .expression = program, .memory_limit = 1 << 30};
    zc_session session;
    zc_fault fault = {0};
    FILE *nowhere = fopen("/dev/null", "w");
    zc_malloc_fail(k, is_sticky);
    bool ok = zc_session_begin(&session, &request, &fault) && zc_print_tensor(nowhere, session.result, &fault);
    zc_session_end(&session);
    bool has_failed = zc_malloc_has_failed();
    zc_malloc_fail(0, false);
    fclose(nowhere);
    if (has_failed) {
        cr_expect_not(ok, "%s succeeds without its allocation %d", program, k);
        cr_expect(fault.exit_code == ZC_EXIT_REFUSED && strcmp(fault.text, "out of memory") == 0,
                  "%s, allocation %d: %d, %s", program, k, fault.exit_code, fault.text);
    }
    return has_failed;
}

Test(memory, may_run_out_anywhere)
{
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        int reached = 0;
        for (int k = 1; run_with_failure(programs[i], k, false) && run_with_failure(programs[i], k, true); k++)
            reached = k;
        cr_expect(reached >= 2, "%s: only %d allocations", programs[i], reached);
    }
}

/* The list of instructions grows wherever it is full: statements before the last move that place along. */
Test(memory, may_run_out_at_any_instruction)
{
    for (int before = 0; before < 32; before++) {
        char program[512] = "";
        for (int i = 0; i < before; i++)
            strcat(program, i % 8 == 7 ? "3,;" : "2;");
        strcat(program, "a = arange(2); a[1:, None].T ** -a + sum(a, axis=(0,), keepdims=True)[:, 0][...], 'x'");
        for (int k = 1; run_with_failure(program, k, false); k++)
            continue;
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
    cr_expect_eq(fault.exit_code, ZC_EXIT_REFUSED);
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
