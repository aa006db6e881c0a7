/*
 * Results of reductions and contractions that are picked at positions: random programs, beside the same with all
 * results in memory first. Bits, errors and peaks.
 */
#include "tests/materialize/grouped.h"
#include "tests/support/random.h"

enum { MOST_SIDE = 9, MOST_POSITIONS = 80, LARGE_SIDE = 70 };

typedef struct program {
    uint64_t seed;
    int64_t rows, columns, width;
    int kind, wrapped, end, pick;
    int64_t position[2][MOST_POSITIONS], count[2];
    zc_dtype dtype;
} program;

static program draw_program(void)
{
    const bool is_large = zc_random_range(0, 9) == 0; /* so that what is picked is copied */
    const int64_t least = is_large ? LARGE_SIDE - 10 : 1, most = is_large ? LARGE_SIDE : MOST_SIDE;
    program p = {.rows = zc_random_range(least, most),
                 .columns = zc_random_range(least, most),
                 .width = is_large ? 20 : zc_random_range(0, 5),
                 .kind = (int)zc_random_range(0, 7),
                 .wrapped = (int)zc_random_range(0, 4),
                 .pick = (int)zc_random_range(0, 6),
                 .end = (int)zc_random_range(0, 2),
                 .dtype = zc_random_bool() ? ZC_FLOAT32 : ZC_FLOAT64};
    const int wrong = (int)zc_random_range(0, 19); /* of which positions one is, or none */
    for (int i = 0; i < 2; i++) {
        const int64_t extent = i == 0 ? p.rows : p.columns;
        p.count[i] = is_large ? MOST_POSITIONS - zc_random_range(0, 30) : zc_random_range(0, 12);
        for (int64_t k = 0; k < p.count[i]; k++)
            p.position[i][k] = zc_random_range(-extent, extent - 1);
        if (i == wrong && p.count[i] > 0)
            p.position[i][zc_random_range(0, p.count[i] - 1)] = extent;
    }
    return p;
}

/* A matrix of rows by columns: reductions over the last, the first and no axis, and contractions. */
static zc_tensor *matrix(const program *p, zc_context *ctx)
{
    const zc_tensor *x = rows_of(ctx, p->dtype, p->rows, p->width, 3),
                    *y = rows_of(ctx, p->dtype, p->columns, p->width, 50);
    const zc_tensor *apart = zc_subtract(zc_expand_dims(x, 1), zc_expand_dims(y, 0));
    const zc_tensor *first = zc_permute_dims(apart, ZC_AXES(2, 0, 1));
    const zc_tensor *const halves[] = {x, zc_exp(x)}, *const others[] = {y, y};
    switch (p->kind) {
    case 0:
        return zc_sum(zc_square(apart), ZC_AXES(2), false);
    case 1:
        return zc_sum(zc_abs(first), ZC_AXES(0), false);
    case 2:
        return zc_matrix_transpose(zc_sum(zc_square(zc_permute_dims(apart, ZC_AXES(1, 0, 2))), ZC_AXES(2), false));
    case 3:
        return zc_matmul(x, zc_matrix_transpose(y));
    case 4:
        return zc_matmul(zc_exp(x), zc_matrix_transpose(y));
    case 5:
        return zc_astype(zc_count_nonzero(zc_greater(apart, zc_weak_float(ctx, 0.1)), ZC_AXES(2), false), p->dtype);
    case 7:
        return zc_matmul(zc_concat(ctx, 2, halves, 1), zc_matrix_transpose(zc_concat(ctx, 2, others, 1)));
    default:
        return zc_sum(zc_add(zc_expand_dims(x, 1), zc_weak_int(ctx, 1)), ZC_AXES(2), false);
    }
}

static zc_tensor *wrap(const program *p, zc_context *ctx, zc_tensor *t)
{
    switch (p->wrapped) {
    case 0:
        return zc_exp(zc_negative(t));
    case 1:
        return zc_multiply(t, rows_of(ctx, p->dtype, p->rows, 1, 11));
    case 2:
        return zc_multiply(zc_add(t, zc_weak_int(ctx, 1)), t);
    case 3:
        return zc_add(t, zc_astype(zc_reshape(zc_iota(ctx, p->rows), ZC_SHAPE(p->rows, 1)), p->dtype));
    default:
        return t;
    }
}

static zc_tensor *positions(const program *p, zc_context *ctx, int i)
{
    return zc_from_data(ctx, ZC_INT64, ZC_SHAPE(p->count[i]), p->position[i], (size_t)p->count[i] * sizeof(int64_t));
}

static zc_tensor *pick(const program *p, zc_context *ctx, zc_tensor *t)
{
    const zc_tensor *rows = positions(p, ctx, 0), *columns = positions(p, ctx, 1);
    const zc_tensor *both[] = {zc_expand_dims(rows, 1), columns};
    const zc_tensor *pairs[] = {rows, zc_astype(zc_remainder(rows, zc_weak_int(ctx, p->columns)), ZC_INT64)};
    switch (p->pick) {
    case 0:
        return zc_take(t, rows, 0);
    case 1:
        return zc_take(t, columns, 1);
    case 2:
        return zc_take(zc_take(t, rows, 0), columns, 1);
    case 3:
        return zc_gather(t, ZC_AXES(0, 1), both);
    case 4:
        return zc_gather(t, ZC_AXES(0, 1), pairs);
    case 5:
        return zc_take_along_axis(t, zc_broadcast_to(zc_expand_dims(columns, 0), ZC_SHAPE(p->rows, p->count[1])), 1);
    default:
        return zc_take(zc_slice(zc_flip(t, ZC_AXES(1)), 1, 0, ZC_NONE, 2), rows, 0);
    }
}

static zc_tensor *end_with(const program *p, zc_tensor *t)
{
    const int axis = zc_rank(t) - 1;
    return p->end == 0 ? t : p->end == 1 ? zc_sum(t, 1, &axis, false) : zc_multiply(t, t);
}

static zc_tensor *stored(zc_tensor *t)
{
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(t, &out), ZC_OK);
    return out;
}

/* Makes the program with all results lazy, or in memory before they are picked. */
static zc_tensor *record(const program *p, zc_context *ctx, bool is_lazy)
{
    zc_tensor *t = matrix(p, ctx);
    if (!is_lazy)
        t = stored(t);
    t = zc_broadcast_to(t, ZC_SHAPE(p->rows, p->columns)); /* of one column, or as it is */
    return end_with(p, pick(p, ctx, wrap(p, ctx, t)));
}

/* Tells whether results were picked. */
static bool expect_same(const program *p, int64_t block_length, int threads)
{
    zc_context *ctx = context_of(block_length, threads), *alone = context_of(NO_GROUPS, 1);
    zc_scope *scope = zc_scope_begin(ctx), *outer = zc_scope_begin(alone);
    zc_tensor *lazy = record(p, ctx, true), *whole = record(p, alone, false), *made = NULL, *wanted = NULL;
    cr_assert_eq(lazy != NULL, whole != NULL, "%s", zc_error_text(ctx));
    bool picks = false;
    if (lazy != NULL) {
        char *text = NULL;
        cr_assert_eq(zc_explain(lazy, ZC_TEXT, &text), ZC_OK);
        picks = strstr(text, ", picked: ") != NULL;
        zc_text_free(ctx, text);
        const zc_status status = zc_materialize(whole, &wanted);
        if (status == ZC_OK) {
            made = compute(ctx, lazy);
            expect_same_bytes(wanted, made, "picked", block_length);
        } else {
            cr_expect_eq(zc_materialize(lazy, &made), status);
            cr_expect_str_eq(zc_error_text(ctx), zc_error_text(alone));
        }
    }
    zc_scope_end(outer);
    zc_scope_end(scope);
    zc_context_free(alone);
    zc_context_free(ctx);
    return picks;
}

Test(picked, programs_have_the_bits_of_all_results)
{
    static const int64_t lengths[] = {NO_GROUPS, 1, 3, BY_BYTES};
    int64_t picked = 0;
    zc_random_begin("picked");
    for (int i = 0; i < zc_test_count(4000); i++) {
        const program p = draw_program();
        picked += expect_same(&p, lengths[i % 4], 1 + i % 3);
    }
    cr_expect_gt(picked, 500 / zc_test_stride(), "%" PRId64, picked);
}

static int64_t peak_of(const zc_tensor *t)
{
    zc_cost cost;
    cr_assert_eq(zc_cost_of(t, &cost), ZC_OK);
    return cost.peak_bytes;
}

/* A few rows of distances, all rows in another order, and pairs of a list, of many points. */
Test(picked, results_alone_are_in_memory)
{
    enum { POINTS = 20000, FEW = 10 };
    zc_context *ctx = context_of(BY_BYTES, 1);
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *x = points_of(ctx, POINTS, 3, 1), *d = distances_of(x, x);
    const zc_tensor *reversed = zc_subtract(zc_weak_int(ctx, POINTS - 1), zc_iota(ctx, POINTS));
    const zc_tensor *all = stored(zc_astype(reversed, ZC_INT64)), *few = stored(zc_slice(all, 0, 0, FEW, 1));
    const zc_tensor *pairs[] = {all, stored(zc_iota(ctx, POINTS))};
    const zc_tensor *similar = zc_matmul(x, zc_matrix_transpose(x));
    zc_tensor *best[2];
    cr_expect_leq(peak_of(zc_take(d, few, 0)), 2 * FEW * POINTS * 4);
    cr_assert_eq(zc_top_k(zc_exp(zc_take(d, few, 0)), 5, 1, true, &best[0], &best[1]), ZC_OK);
    cr_expect_leq(peak_of(zc_add(best[0], best[1])), 2 * FEW * POINTS * 4);
    cr_expect_leq(peak_of(zc_take(zc_std(d, ZC_AXES(1), 0, false), few, 0)), 4 << 20);
    cr_expect_leq(peak_of(zc_take(zc_max(zc_subtract(d, zc_mean(d, ZC_AXES(0), false)), ZC_AXES(1), false), few, 0)),
                  4 << 20);
    cr_expect_leq(peak_of(zc_take(similar, few, 0)), 2 * FEW * POINTS * 4);
    cr_expect_leq(peak_of(zc_sum(zc_exp(zc_take(d, all, 0)), ZC_AXES(1), false)), 4 << 20);
    cr_expect_leq(peak_of(zc_sum(zc_exp(zc_take(similar, all, 0)), ZC_AXES(1), false)), 8 << 20);
    cr_expect_leq(peak_of(zc_sqrt(zc_gather(d, ZC_AXES(0, 1), pairs))), 2 * POINTS * 4);
    cr_expect_leq(peak_of(zc_gather(similar, ZC_AXES(0, 1), pairs)), 10 * POINTS * 4);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* Two lists of pairs and some rows of one matrix are made apart. */
Test(picked, each_reader_has_its_own)
{
    enum { POINTS = 9000, FEW = 10 };
    zc_context *ctx = context_of(BY_BYTES, 2), *alone = context_of(NO_GROUPS, 1);
    zc_scope *scope = zc_scope_begin(ctx), *outer = zc_scope_begin(alone);
    zc_tensor *made[2];
    for (int i = 0; i < 2; i++) {
        zc_context *own = i == 0 ? ctx : alone;
        const zc_tensor *x = points_of(own, POINTS, 3, 1), *d = distances_of(x, x);
        const zc_tensor *all = stored(zc_iota(own, POINTS)), *few = stored(zc_slice(all, 0, 5, 5 + FEW, 1));
        const zc_tensor *last = stored(zc_flip(all, ZC_AXES(0)));
        const zc_tensor *pairs[] = {all, last}, *others[] = {last, stored(zc_remainder(all, zc_weak_int(own, 7)))};
        const zc_tensor *m = i == 0 ? d : stored((zc_tensor *)(uintptr_t)d);
        zc_tensor *t = zc_add(zc_gather(m, ZC_AXES(0, 1), pairs), zc_gather(m, ZC_AXES(0, 1), others));
        t = zc_add(t, zc_min(zc_take(m, few, 0), ZC_AXES(0), false));
        if (i == 0)
            cr_expect_leq(peak_of(t), 2 << 20);
        made[i] = compute(own, t);
    }
    expect_same_bytes(made[1], made[0], "pairs", BY_BYTES);
    zc_scope_end(outer);
    zc_scope_end(scope);
    zc_context_free(alone);
    zc_context_free(ctx);
}

/* More than all results are picked of those that are made once; so are those that something else reads. */
Test(picked, results_are_made_once_where_more_are_picked)
{
    zc_context *ctx = context_of(BY_BYTES, 1);
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *x = points_of(ctx, 50, 3, 1), *sums = zc_sum(x, ZC_AXES(1), false);
    const zc_tensor *many = stored(zc_remainder(zc_iota(ctx, 60), zc_weak_int(ctx, 50)));
    const zc_tensor *all = stored(zc_iota(ctx, 50));
    const zc_tensor *last = stored(zc_slice(all, 0, 0, 1, 1));
    const zc_tensor *const programs[] = {zc_take(sums, many, 0), zc_subtract(zc_take(sums, all, 0), sums),
                                         zc_take(sums, zc_take(all, last, 0), 0),
                                         zc_take(sums, zc_remainder(zc_argmax(x, ZC_AXES(1), false), all), 0)};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        char *text = NULL;
        cr_assert_eq(zc_explain(programs[i], ZC_TEXT, &text), ZC_OK, "%s", zc_error_text(ctx));
        cr_expect_null(strstr(text, ", picked: "), "program %zu: %s", i, text);
        zc_text_free(ctx, text);
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* Positions that nothing is read by are checked all the same. */
Test(picked, wrong_positions_are_refused_where_nothing_is_read)
{
    static const int64_t list[] = {0, 7};
    zc_context *ctx = context_of(BY_BYTES, 1);
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *at = zc_from_data(ctx, ZC_INT64, ZC_SHAPE(2), list, sizeof list);
    const zc_tensor *y = points_of(ctx, 4, 2, 1), *nothing = zc_slice(y, 1, 0, 0, 1);
    const zc_tensor *const twice[] = {nothing, nothing};
    const zc_tensor *tiled = zc_sum(zc_tile(y, ZC_SHAPE(3, 1)), ZC_AXES(1), false),
                    *empty = zc_concat(ctx, 2, twice, 1);
    const zc_tensor *const programs[] = {
        zc_take(zc_reshape(tiled, ZC_SHAPE(3, 4)), at, 0),
        zc_take(zc_sum(empty, ZC_AXES(1), false), at, 0),
        zc_take(zc_sum(zc_square(empty), ZC_AXES(1), false), at, 0),
        zc_take(zc_matmul(empty, zc_matrix_transpose(nothing)), at, 0),
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        zc_tensor *out = NULL;
        cr_expect_eq(zc_materialize(programs[i], &out), ZC_ERROR_INDEX, "program %zu: %s", i, zc_error_text(ctx));
        zc_error_clear(ctx);
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* Tells by explain whether a stage was made for a reason. */
static bool is_told(zc_context *ctx, const zc_tensor *t, const char *reason)
{
    char *text = NULL;
    cr_assert_eq(zc_explain(t, ZC_TEXT, &text), ZC_OK, "%s", zc_error_text(ctx));
    const bool is = strstr(text, reason) != NULL;
    zc_text_free(ctx, text);
    return is;
}

/* A copy that was asked for is made whole, and so are all results of it. */
Test(picked, copies_that_were_asked_for_are_whole)
{
    enum { POINTS = 300 };
    zc_context *ctx = context_of(BY_BYTES, 1);
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *x = points_of(ctx, POINTS, 3, 1), *all = stored(zc_flip(zc_iota(ctx, POINTS), ZC_AXES(0)));
    const zc_tensor *squares = zc_square(zc_subtract(zc_expand_dims(x, 1), zc_expand_dims(x, 0)));
    const zc_tensor *sums = zc_sum(squares, ZC_AXES(2), false), *of_copy = zc_sum(zc_copy(squares), ZC_AXES(2), false);
    cr_expect(is_told(ctx, zc_take(sums, all, 0), ", picked: "));
    cr_expect(!is_told(ctx, zc_take(of_copy, all, 0), ", picked: "));
    expect_same_bytes(stored(zc_take(of_copy, all, 0)), stored(zc_take(sums, all, 0)), "sums", BY_BYTES);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* Values of a selection are looked up, but not where long chains of maps might hide something that is taken. */
Test(picked, values_are_looked_up_in_short_chains)
{
    enum { TERMS = 20 };
    zc_context *ctx = context_of(BY_BYTES, 1);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *sum = points_of(ctx, 40, 30, 0), *best[2];
    for (int i = 1; i <= TERMS; i++) {
        if (i == 2 || i == TERMS) {
            cr_assert_eq(zc_top_k(sum, 3, 1, true, &best[0], &best[1]), ZC_OK);
            cr_expect_eq(is_told(ctx, zc_add(best[0], best[1]), ", looked up: "), i == 2);
        }
        sum = zc_add(sum, points_of(ctx, 40, 30, i));
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
}
