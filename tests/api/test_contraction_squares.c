/*
 * Rows of four by matrices of four by four, alone and in batches, seen from memory and stored in every way, against the
 * reference executor: what a strategy of its own takes, and what it has to leave.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/api/values.h"
#include "tests/support/random.h"

enum { SIDE = 4, VIEWS = 5, TARGETS = 4, MOST_BATCH_AXES = 2, MOST_RANK = MOST_BATCH_AXES + 2 };

typedef struct shape {
    int batch_axes;
    int64_t batch[MOST_BATCH_AXES], rows;
} shape;

static zc_tensor *stored(const zc_tensor *t)
{
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(zc_copy(t), &out), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    return out;
}

/* (batch ..., rows, 4): as they lie, transposed in memory, backwards, as a part of longer rows, or of batches that
 * change places. */
static zc_tensor *draw(bench b, const shape *s, int64_t rows, zc_dtype dtype, int view)
{
    int64_t dims[MOST_RANK] = {0};
    const int rank = s->batch_axes + 2;
    memcpy(dims, s->batch, sizeof s->batch);
    dims[rank - 2] = view == 1 ? SIDE : rows;
    dims[rank - 1] = view == 1 ? rows : view == 3 ? 2 * SIDE : SIDE;
    if (view == 4 && s->batch_axes == 2)
        dims[0] = s->batch[1], dims[1] = s->batch[0];
    zc_tensor *x = stored(zc_astype(zc_sin(count_to(b, rank, dims)), dtype));
    switch (view) {
    case 1:
        return zc_matrix_transpose(x);
    case 2:
        return zc_flip(x, 1, (const int[]){rank - 1});
    case 3:
        return zc_slice(x, rank - 1, 1, 1 + SIDE, 1);
    case 4:
        return s->batch_axes == 2 ? zc_swapaxes(x, 0, 1) : x;
    default:
        return x;
    }
}

/* Strides of a target: dense, rows further apart, transposed, or outer batches further apart. The elements it spans. */
static int64_t lay_out(const zc_tensor *t, int how, int64_t *strides)
{
    const int rank = zc_rank(t);
    int64_t step = 1;
    for (int i = rank - 1; i >= 0; i--) {
        const int axis = how == 2 && i >= rank - 2 ? 2 * rank - 3 - i : i;
        strides[axis] = step;
        step *= zc_shape(t)[axis];
        step += (how == 1 && i == rank - 1) || (how == 3 && i == 1) ? 3 : 0;
    }
    return step;
}

static void expect_bits(const zc_tensor *t, const zc_tensor *wanted, int how, const char *what)
{
    int64_t strides[MOST_RANK], at[MOST_RANK] = {0};
    const size_t item = zc_dtype_bytes(zc_dtype_of(t));
    const int64_t span = lay_out(t, how, strides);
    char *got = malloc((size_t)span * item);
    cr_assert_eq(zc_materialize_into(t, got, (size_t)span * item, strides, 0), ZC_OK, "%s",
                 zc_error_text(zc_context_of(t)));
    for (int64_t i = 0; i < zc_size(t); i++) {
        int64_t offset = 0;
        for (int a = 0; a < zc_rank(t); a++)
            offset += at[a] * strides[a];
        cr_assert_eq(memcmp(got + (size_t)offset * item, (const char *)zc_data(wanted) + (size_t)i * item, item), 0,
                     "%s, target %d: element %" PRId64, what, how, i);
        for (int a = zc_rank(t) - 1; a >= 0 && ++at[a] == zc_shape(t)[a]; a--)
            at[a] = 0;
    }
    free(got);
}

static void check(const shape *s, zc_dtype dtype, int x_view, int y_view, int threads)
{
    char what[128];
    bench b = begin_with((zc_options){.threads = threads});
    zc_context *reference = zc_context_new(&(zc_options){.executor = ZC_EXECUTOR_REFERENCE});
    const shape alone = {.batch_axes = 0};
    const zc_tensor *x = draw(b, s, s->rows, dtype, x_view);
    const zc_tensor *y = draw(b, y_view == VIEWS ? &alone : s, SIDE, dtype, y_view % VIEWS);
    zc_scope *scope = zc_scope_begin(reference);
    zc_tensor *wanted = NULL;
    cr_assert_eq(zc_materialize(zc_matmul(zc_adopt(reference, x), zc_adopt(reference, y)), &wanted), ZC_OK);
    (void)snprintf(what, sizeof what, "%s, %d batch axes, %" PRId64 " rows, views %d and %d, %d threads",
                   zc_dtype_name(dtype), s->batch_axes, s->rows, x_view, y_view, threads);
    for (int how = 0; how < TARGETS; how++)
        expect_bits(zc_matmul(x, y), wanted, how, what);
    zc_scope_end(scope);
    zc_context_free(reference);
    finish(b);
}

Test(contraction_squares, have_the_bits_of_the_reference)
{
    static const shape shapes[] = {{0, {0}, 3},    {0, {0}, 64},     {0, {0}, 1003},   {1, {33}, 4},
                                   {1, {700}, 4},  {1, {40}, 8},     {1, {20}, 6},     {1, {3}, 10000},
                                   {2, {5, 7}, 4}, {2, {3, 300}, 4}, {2, {2, 2}, 4100}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i += (size_t)zc_test_step(2)) {
        for (int x_view = 0; x_view < VIEWS; x_view++) {
            check(&shapes[i], ZC_FLOAT32, x_view, 0, 1);
            check(&shapes[i], ZC_FLOAT64, 0, x_view, 2);
        }
        check(&shapes[i], ZC_FLOAT32, 0, VIEWS, 3); /* one matrix for all batches */
        check(&shapes[i], ZC_COMPLEX64, 0, 0, 1);
    }
}
