/* Divisions where memory is out: nothing is left of them. */
#include <string.h>

#include "tests/diff/matrices.h"
#include "tests/support/failing.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { MOST = 40 };

/* Divides, restores and records the first pieces over each other. False: memory was out. */
static bool try_division(zc_context *ctx, const zc_tensor *y, int64_t limit, int most)
{
    size_t size;
    zc_tensor *out[MOST][2];
    zc_division *d = NULL, *other = NULL;
    const zc_tensor *const *inputs, *given[2 * ZC_MOST_NEEDS];
    zc_status status = zc_division_make(1, &y, &(zc_division_options){.limit = limit}, &d);
    if (status == ZC_OK) {
        const void *bytes = zc_division_bytes(d, &size);
        const int count = zc_division_inputs(d, &inputs);
        status = zc_division_restore(ctx, bytes, size, count, inputs, &other);
    }
    for (int64_t i = 0; i < most && i < zc_division_count(other) && status == ZC_OK; i++) {
        int n = 0;
        zc_piece piece, need;
        cr_assert_eq(zc_division_piece(other, i, &piece), ZC_OK);
        for (int k = 0; k < piece.need_count; k++) {
            cr_assert_eq(zc_division_piece(other, piece.needs[k], &need), ZC_OK);
            for (int o = 0; o < need.outputs; o++)
                given[n++] = out[piece.needs[k]][o];
        }
        status = zc_division_record(other, i, n, given, out[i]);
    }
    zc_division_free(d);
    zc_division_free(other);
    cr_assert(status == ZC_OK || status == ZC_ERROR_MEMORY, "%s", zc_error_text(ctx));
    zc_error_clear(ctx);
    return status == ZC_OK;
}

static const zc_tensor *chain(const zc_tensor *t, int length)
{
    for (int i = 0; i < length; i++)
        t = zc_tanh(t);
    return t;
}

/* Long chains need more than one block of memory. */
static const zc_tensor *result_of(zc_context *ctx, int which)
{
    const zc_tensor *x = numbers(ctx, 3000, 3), *column = zc_index(x, 1, 0);
    switch (which) {
    case 0:
        return standardized(x);
    case 1:
        return zc_subtract(column, zc_index(zc_cumulative_sum(column, 0, false), 0, -1));
    case 2:
        return standardized(chain(x, 100));
    default:
        return chain(zc_subtract(x, zc_mean(x, ZC_ALL_AXES, false)), 100);
    }
}

static zc_context *failing_context(zc_failing *state, zc_allocator *allocator)
{
    *allocator = zc_failing_allocator(state);
    return zc_context_new(&(zc_options){.threads = 1, .allocator = allocator});
}

Test(division_memory, nothing_is_left_where_memory_is_out)
{
    zc_skip_of_one_thread();
    for (int which = 0; which < 4; which++) {
        zc_failing state = {0};
        zc_allocator allocator;
        zc_context *ctx = failing_context(&state, &allocator);
        zc_scope *scope = zc_scope_begin(ctx);
        const zc_tensor *y = result_of(ctx, which);
        bool is_done = false;
        for (int64_t k = 1; !is_done; k++) {
            zc_scope *inner = zc_scope_begin(ctx);
            state.fail_at = state.calls + k;
            is_done = try_division(ctx, y, which == 1 ? 1 << 16 : 1000, which < 2 ? MOST : 2);
            state.fail_at = 0;
            zc_scope_end(inner);
            zc_failing_count();
        }
        zc_scope_end(scope);
        zc_context_free(ctx);
        cr_expect_eq(state.blocks, 0);
        cr_expect_eq(state.faults, 0);
    }
}

/* The ends of memory blocks move with the tensors that the words have. */
Test(division_memory, nothing_is_left_of_any_number_of_words)
{
    zc_skip_of_one_thread();
    enum { WORDS = 600, INPUTS = 20 };
    zc_failing state = {0};
    zc_allocator allocator;
    zc_context *ctx = failing_context(&state, &allocator);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_division *d = NULL;
    size_t size;
    int64_t words[WORDS + 8] = {0};
    const zc_tensor *inputs[INPUTS];
    for (int i = 0; i < INPUTS; i++)
        inputs[i] = numbers(ctx, 1, 1);
    cr_assert_eq(zc_division_make(1, inputs, NULL, &d), ZC_OK);
    memcpy(words, zc_division_bytes(d, &size), 3 * sizeof *words);
    zc_division_free(d);
    for (int n = 1; n <= WORDS; n += 3) {
        zc_status status = ZC_ERROR_MEMORY;
        words[3] = n;
        for (int64_t k = 1; status == ZC_ERROR_MEMORY; k++) {
            state.fail_at = state.calls + k;
            status = zc_division_restore(ctx, words, (size_t)(n + 8) * sizeof *words, n % INPUTS, inputs, &d);
            state.fail_at = 0;
            zc_error_clear(ctx);
            zc_failing_count();
        }
        cr_assert_eq(status, ZC_ERROR_FORMAT);
        cr_assert_null(d);
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
    cr_expect_eq(state.blocks, 0);
    cr_expect_eq(state.faults, 0);
}
