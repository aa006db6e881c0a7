/*
 * Divisions: pieces that are computed on their own, by contexts that share nothing, have the bits of the whole, for any
 * chunks, limits and numbers of threads.
 */
#include <stdio.h>

#include "tests/diff/expression.h"
#include "tests/diff/pieces.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { EXPRESSIONS = 60, CHUNKINGS = 5 };

/* ---- Random expressions ---- */

static void draw_chunks(const zc_tensor *t, int64_t *chunk)
{
    for (int a = 0; a < zc_rank(t); a++) {
        const int64_t extent = zc_shape(t)[a];
        chunk[a] = zc_random_range(0, 2) == 0 || extent < 2 ? 0 : zc_random_range(extent / 4 + 1, extent);
    }
}

static void check_expression(counts *counted)
{
    static const int64_t limits[] = {1, 1000, 20000, 400000, 0};
    const zc_tensor *tensors[MOST_RESULTS], *wanted[MOST_RESULTS];
    int64_t chunks[MOST_RESULTS][ZC_MAX_RANK];
    pool p = {.ctx = zc_context_new(NULL)}, other = {.ctx = zc_context_new(NULL)};
    p.scope = zc_scope_begin(p.ctx);
    other.scope = zc_scope_begin(other.ctx);
    pool both[2] = {p, other};
    expression_record(both, 2);
    const int count = (int)zc_random_range(1, MOST_RESULTS);
    for (int i = 0; i < count; i++) {
        const int which = (int)zc_random_range(both[0].count / 2, both[0].count - 1);
        tensors[i] = both[0].items[which];
        wanted[i] = materialized(&both[1], both[1].items[which]);
    }
    for (int k = 0; k < zc_test_count(CHUNKINGS); k++) {
        const int64_t *of[MOST_RESULTS];
        for (int i = 0; i < count; i++) {
            draw_chunks(tensors[i], chunks[i]);
            of[i] = zc_random_range(0, 4) == 0 ? NULL : chunks[i];
        }
        const zc_division_options options = {.chunks = of, .limit = limits[zc_random_range(0, 4)]};
        check_division(both[0].ctx, count, tensors, wanted, &options, counted);
    }
    zc_scope_end(other.scope);
    zc_context_free(other.ctx);
    zc_scope_end(p.scope);
    zc_context_free(p.ctx);
}

Test(division, pieces_have_the_bits_of_the_whole)
{
    counts counted = {{0}};
    zc_skip_of_one_thread();
    zc_random_begin("division/bits");
    for (int i = 0; i < zc_test_count(EXPRESSIONS); i++)
        check_expression(&counted);
    fprintf(stderr, "division/bits: %ld blocks, %ld ranges, %ld joins, %ld nodes\n", (long)counted.pieces[0],
            (long)counted.pieces[1], (long)counted.pieces[2], (long)counted.pieces[3]);
    cr_assert_gt(counted.pieces[ZC_PIECE_BLOCK], 0);
}

/* ---- Steps that read all rows ---- */

enum { PIPELINES = 25, MOST_KINDS = 12, MOST_LENGTH = 4 };

static zc_tensor *wide_step(const zc_tensor *t, int which)
{
    zc_tensor *values = NULL, *places = NULL;
    switch (which) {
    case 0:
        return zc_subtract(t, zc_mean(t, ZC_AXES(0), false));
    case 1:
        return zc_divide(t, zc_std(t, ZC_AXES(0), 0, false));
    case 2:
        return zc_divide(t, zc_sum(zc_abs(t), ZC_AXES(1), true));
    case 3:
        return zc_softmax(t, 1);
    case 4:
        return zc_divide(t, zc_max(zc_abs(t), ZC_ALL_AXES, false));
    case 5:
        return zc_matmul(t, zc_tanh(zc_matmul(zc_matrix_transpose(t), t)));
    case 6:
        return zc_subtract(t, zc_take_along_axis(t, zc_argmax(t, ZC_AXES(0), true), 0));
    case 7:
        return zc_cumulative_sum(zc_tanh(t), 0, false);
    case 8:
        return zc_subtract(t, zc_logsumexp(zc_tanh(t), ZC_AXES(0), true));
    case 9:
        (void)zc_top_k(t, 3, 0, true, &values, &places);
        return zc_add(t, zc_mean(zc_add(values, places), ZC_ALL_AXES, false));
    case 10:
        return zc_concat(zc_context_of(t), 2, (const zc_tensor *[]){zc_flip(t, ZC_AXES(0)), zc_slice(t, 0, 0, 9, 2)},
                         0);
    default:
        return zc_where(zc_any(zc_greater(t, zc_weak_float(zc_context_of(t), 1)), ZC_AXES(0), false), zc_negative(t),
                        t);
    }
}

static zc_tensor *last_step(zc_tensor *t, int which)
{
    switch (which) {
    case 0:
        return zc_sum(t, ZC_AXES(0), false);
    case 1:
        return zc_argmin(t, ZC_ALL_AXES, true);
    case 2:
        return zc_var(t, ZC_ALL_AXES, 1, false);
    case 3:
        return zc_prod(zc_tanh(t), ZC_AXES(1), false);
    default:
        return t;
    }
}

static zc_tensor *pipeline(zc_context *ctx, zc_dtype dtype, int64_t rows, int64_t columns, const int *steps, int count)
{
    float values[8 * 3000];
    for (int64_t i = 0; i < rows * columns; i++)
        values[i] = (float)((i * 7919 + rows) % 1009) / 500 - 1;
    zc_tensor *t = zc_astype(
        zc_from_data(ctx, ZC_FLOAT32, ZC_SHAPE(rows, columns), values, (size_t)(rows * columns) * sizeof *values),
        dtype);
    for (int i = 0; i + 1 < count; i++)
        t = wide_step(t, steps[i]);
    return last_step(t, steps[count - 1]);
}

static void check_pipeline(counts *counted)
{
    static const zc_dtype dtypes[] = {ZC_FLOAT32, ZC_FLOAT64, ZC_FLOAT16, ZC_BFLOAT16};
    int steps[MOST_LENGTH + 1];
    int64_t chunk[2];
    const int count = (int)zc_random_range(2, MOST_LENGTH + 1);
    const int64_t rows = zc_random_range(10, 3000), columns = zc_random_range(2, 8);
    const zc_dtype dtype = dtypes[zc_random_range(0, 3)];
    zc_context *ctx = zc_context_new(NULL), *other = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx), *outer = zc_scope_begin(other);
    for (int i = 0; i < count; i++)
        steps[i] = (int)zc_random_range(0, i + 1 < count ? MOST_KINDS - 1 : 7);
    const zc_tensor *t = pipeline(ctx, dtype, rows, columns, steps, count);
    cr_assert_not_null(t, "%s", zc_error_text(ctx));
    zc_tensor *wanted = NULL;
    cr_assert_eq(zc_materialize(pipeline(other, dtype, rows, columns, steps, count), &wanted), ZC_OK);
    for (int k = 0; k < zc_test_count(CHUNKINGS); k++) {
        draw_chunks(t, chunk);
        const zc_division_options options = {.chunks = (const int64_t *const[]){chunk},
                                             .limit = INT64_C(1) << zc_random_range(8, 20)};
        check_division(ctx, 1, &t, (const zc_tensor *const[]){wanted}, &options, counted);
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
    zc_scope_end(outer);
    zc_context_free(other);
}

Test(division, steps_that_read_all_rows_have_their_bits)
{
    counts counted = {{0}};
    zc_skip_of_one_thread();
    zc_random_begin("division/rows");
    for (int i = 0; i < zc_test_count(PIPELINES); i++)
        check_pipeline(&counted);
    fprintf(stderr, "division/rows: %ld blocks, %ld ranges, %ld joins, %ld nodes\n", (long)counted.pieces[0],
            (long)counted.pieces[1], (long)counted.pieces[2], (long)counted.pieces[3]);
    for (int kind = 0; kind <= ZC_PIECE_NODE; kind++)
        cr_assert_gt(counted.pieces[kind], 0);
}
