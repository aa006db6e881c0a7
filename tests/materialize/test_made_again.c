/*
 * Rows that are made again by programs in steps: each step reads all pairs and a result of the step before. Bits are
 * those of the stages run one after the other; no matrix of all pairs is in memory where making it again takes less
 * time than memory would.
 */
#include "tests/materialize/grouped.h"
#include "tests/support/random.h"

/* Few points for blocks of a given length; pairs of MANY take more than caches have. */
enum { FEW = 90, MANY = 4200 };

static zc_tensor *distances(zc_context *ctx, int64_t count, int64_t width)
{
    return distances_of(points_of(ctx, count, width, 0), points_of(ctx, count + 7, width, 5));
}

/* ---- Programs ---- */

/* zc_logsumexp() in two passes: the largest element of a row is known before its sum. */
static zc_tensor *log_sum(const zc_tensor *x, int axis)
{
    const zc_tensor *most = zc_max(x, 1, &axis, true);
    return zc_add(zc_log(zc_sum(zc_exp(zc_subtract(x, most)), 1, &axis, true)), most);
}

static zc_tensor *log_sum_in_one_pass(const zc_tensor *x, int axis)
{
    return zc_logsumexp(x, 1, &axis, true);
}

static zc_tensor *sinkhorn_of(zc_context *ctx, int64_t count, int64_t width, int steps,
                              zc_tensor *(*sum)(const zc_tensor *, int))
{
    const zc_tensor *d = distances(ctx, count, width), *f = NULL, *g = zc_weak_float(ctx, 0);
    for (int step = 0; step < steps; step++) {
        f = zc_negative(sum(zc_subtract(g, d), 1));
        g = zc_negative(sum(zc_subtract(f, d), 0));
    }
    return zc_add(zc_squeeze(g, ZC_AXES(0)), zc_sum(f, ZC_ALL_AXES, false));
}

static zc_tensor *sinkhorn(zc_context *ctx, int64_t count, int64_t width)
{
    return sinkhorn_of(ctx, count, width, 2, log_sum);
}

static zc_tensor *short_sinkhorn(zc_context *ctx, int64_t count, int64_t width)
{
    return sinkhorn_of(ctx, count, width, 2, log_sum_in_one_pass);
}

static zc_tensor *long_sinkhorn(zc_context *ctx, int64_t count, int64_t width)
{
    return sinkhorn_of(ctx, count, width, 9, log_sum);
}

static zc_tensor *power(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *x = points_of(ctx, count, width, 0), *k = zc_exp(zc_negative(distances_of(x, x)));
    const zc_tensor *v = points_of(ctx, count, 1, 3);
    for (int step = 0; step < 4; step++) {
        v = zc_matmul(k, v);
        v = zc_divide(v, zc_max(v, ZC_ALL_AXES, true));
    }
    return zc_add(v, zc_weak_float(ctx, 1));
}

static zc_tensor *scores(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *d = zc_sqrt(distances(ctx, count, width));
    const zc_tensor *apart = zc_subtract(d, zc_mean(d, ZC_ALL_AXES, true));
    return zc_max(zc_divide(apart, zc_std(d, ZC_ALL_AXES, 0, true)), ZC_AXES(1), false);
}

static zc_tensor *log_sums(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *d = distances(ctx, count, width);
    return zc_add(zc_squeeze(log_sum(d, 0), ZC_AXES(0)), zc_sum(log_sum(d, 1), ZC_ALL_AXES, false));
}

static zc_tensor *laplacian(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *x = points_of(ctx, count, width, 0), *k = zc_exp(zc_negative(distances_of(x, x)));
    const zc_tensor *root = zc_sqrt(zc_sum(k, ZC_AXES(1), true));
    const zc_tensor *normal = zc_divide(zc_divide(k, root), zc_matrix_transpose(root));
    return zc_matmul(normal, points_of(ctx, count, 2, 3));
}

/* Sums of distances to the points of each class: the marks of classes have rows as the distances have. */
static zc_tensor *to_classes(zc_context *ctx, int64_t count, int64_t width)
{
    enum { CLASSES = 9 };
    const zc_tensor *x = points_of(ctx, count, width, 0);
    zc_tensor *class = NULL;
    const zc_tensor *number = zc_remainder(zc_iota(ctx, count), zc_weak_int(ctx, CLASSES));
    cr_assert_eq(zc_materialize(number, &class), ZC_OK);
    const zc_tensor *far = zc_sqrt(distances_of(x, x));
    const zc_tensor *marks = zc_equal(zc_expand_dims(class, 1), zc_iota(ctx, CLASSES));
    return zc_matmul(far, zc_astype(marks, ZC_FLOAT32));
}

typedef struct program_case {
    const char *name;
    program_of_points *make;
    int64_t widest; /* points of which pairs are made again rather than held */
} program_case;

static const program_case programs[] = {
    {"sinkhorn", sinkhorn, 16},
    {"long sinkhorn", long_sinkhorn, 3},
    {"power", power, 3},
    {"scores", scores, 8},
    {"log sums", log_sums, 16},
    {"laplacian", laplacian, 16},
    {"to classes", to_classes, 16},
    {"short sinkhorn", short_sinkhorn, 16},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

Test(made_again, steps_have_the_bits_of_their_stages)
{
    for (int i = 0; i < PROGRAMS; i++)
        expect_same_in_all_blocks(programs[i].name, programs[i].make, FEW, MANY);
}

/* ---- Memory and work ---- */

static zc_cost cost_of(const program_case *p, int64_t block_length, int64_t count, int64_t width)
{
    zc_cost cost;
    zc_context *ctx = context_of(block_length, 1);
    zc_scope *scope = zc_scope_begin(ctx);
    cr_assert_eq(zc_cost_of(p->make(ctx, count, width), &cost), ZC_OK, "%s", zc_error_text(ctx));
    zc_scope_end(scope);
    zc_context_free(ctx);
    return cost;
}

Test(made_again, no_matrix_of_all_pairs_is_in_memory)
{
    enum { MOST = 5 << 20, HUNDRED_THOUSAND = 100000, MOST_OF_LONG = 15 << 20 };
    for (int i = 0; i < PROGRAMS; i++) {
        const program_case *p = &programs[i];
        const int64_t peak = cost_of(p, BY_BYTES, MANY, p->widest).peak_bytes;
        cr_expect_leq(peak, MOST, "%s: %" PRId64, p->name, peak);
        const int64_t long_peak = cost_of(p, BY_BYTES, HUNDRED_THOUSAND, 3).peak_bytes;
        cr_expect_leq(long_peak, MOST_OF_LONG, "%s of many: %" PRId64, p->name, long_peak);
    }
}

/* Nothing is made again where that does not lower the peak. */
Test(made_again, no_more_work_is_done_than_memory_would_take)
{
    for (int i = 0; i < PROGRAMS; i++) {
        for (int64_t width = 1; width <= 64; width *= 4) {
            const zc_cost held = cost_of(&programs[i], NO_GROUPS, MANY, width);
            const zc_cost cost = cost_of(&programs[i], BY_BYTES, MANY, width);
            const bool is_smaller = cost.peak_bytes < held.peak_bytes * 3 / 4;
            cr_expect_leq(cost.work, is_smaller ? 5 * held.work : held.work,
                          "%s of %" PRId64 ": %" PRId64 " after %" PRId64 ", peak %" PRId64 " after %" PRId64,
                          programs[i].name, width, cost.work, held.work, cost.peak_bytes, held.peak_bytes);
        }
    }
}

/* Pairs that are held where memory is enough are made again under a limit that has no room for them. */
Test(made_again, any_work_is_done_where_memory_is_short)
{
    enum { SOME = 2000, WIDTH = 16, LIMIT = 7 << 20 };
    int held = 0;
    for (int i = 0; i < PROGRAMS; i += zc_test_long_stride()) {
        const program_case *p = &programs[i];
        zc_context *ctx = zc_context_new(&(zc_options){.threads = 2, .memory_limit = LIMIT}),
                   *alone = context_of(NO_GROUPS, 2);
        zc_scope *outer = zc_scope_begin(alone), *scope = zc_scope_begin(ctx);
        held += cost_of(p, BY_BYTES, SOME, WIDTH).peak_bytes > LIMIT;
        expect_same_bytes(compute(alone, p->make(alone, SOME, WIDTH)), compute(ctx, p->make(ctx, SOME, WIDTH)), p->name,
                          LIMIT);
        zc_scope_end(scope);
        zc_scope_end(outer);
        zc_context_free(ctx);
        zc_context_free(alone);
    }
    cr_expect_geq(held, zc_test_long_stride() > 1 ? 1 : PROGRAMS - 1);
}

/* ---- Views apart ---- */

/* Several views of pairs, each of which is read by rows once it is made for itself. */
static zc_tensor *with_turned(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *x = points_of(ctx, count, width, 0), *k = zc_exp(zc_negative(distances_of(x, x)));
    const zc_tensor *scaled = zc_divide(k, zc_add(zc_index(x, 1, 0), zc_weak_float(ctx, 1)));
    return zc_max(zc_add(scaled, zc_matrix_transpose(scaled)), ZC_AXES(1), false);
}

static zc_tensor *with_next(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *d = distances(ctx, count, width);
    const zc_tensor *step = zc_subtract(zc_slice(d, 0, 1, ZC_NONE, 1), zc_slice(d, 0, 0, -1, 1));
    return zc_sum(zc_square(step), ZC_AXES(1), false);
}

static zc_tensor *with_flipped(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *d = distances(ctx, count, width);
    return zc_sum(zc_multiply(d, zc_flip(d, ZC_AXES(0))), ZC_AXES(1), false);
}

static zc_tensor *with_products_turned(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *s =
        zc_matmul(points_of(ctx, count, width, 0), zc_matrix_transpose(points_of(ctx, count, width, 5)));
    return zc_max(zc_maximum(s, zc_matrix_transpose(s)), ZC_AXES(1), false);
}

/* Diagonals that end half way, beside rows. */
static zc_tensor *with_halves(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *d = distances(ctx, count, width);
    const zc_tensor *near = zc_diagonal(d, count / 2, 0, 1);
    return zc_add(zc_min(d, ZC_AXES(1), false), zc_sum(near, ZC_ALL_AXES, false));
}

/* More views than have parts of their own. */
static zc_tensor *with_many(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *d = distances(ctx, count, width), *sum = zc_slice(d, 0, 0, count - 5, 1);
    for (int i = 1; i <= 5; i++)
        sum = zc_maximum(sum, zc_slice(d, 0, i, count - 5 + i, 1));
    return zc_sum(sum, ZC_AXES(1), false);
}

/* Rows in an order that data says, beside columns. */
static zc_tensor *with_shuffled(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *x = points_of(ctx, count, width, 0), *d = distances_of(x, zc_add(x, zc_weak_float(ctx, 1)));
    zc_tensor *order = NULL;
    const zc_tensor *number = zc_multiply(zc_iota(ctx, count), zc_weak_int(ctx, 31));
    cr_assert_eq(zc_materialize(zc_remainder(number, zc_weak_int(ctx, count)), &order), ZC_OK);
    return zc_sum(zc_maximum(zc_take(d, order, 0), zc_matrix_transpose(d)), ZC_AXES(1), false);
}

/* Rows that windows repeat, beside columns. */
static zc_tensor *with_windows(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *d = zc_slice(distances(ctx, count, width), 1, 0, count, 1);
    const zc_tensor *pairs = zc_sliding_window_view(d, ZC_SHAPE(2), ZC_AXES(1));
    const zc_tensor *turned = zc_slice(zc_matrix_transpose(d), 1, 1, ZC_NONE, 1);
    return zc_sum(zc_maximum(zc_max(pairs, ZC_AXES(2), false), turned), ZC_AXES(1), false);
}

static const program_case whole[] = {
    {"with many", with_many, 3},
    {"with shuffled", with_shuffled, 3},
    {"with windows", with_windows, 3},
};
enum { WHOLE = sizeof whole / sizeof *whole };

Test(made_again, what_has_no_parts_is_held)
{
    for (int i = 0; i < WHOLE; i += zc_test_long_stride())
        expect_same_in_blocks(whole[i].name, whole[i].make, MANY, 3, BY_BYTES, 2);
}

static const program_case apart[] = {
    {"with turned", with_turned, 3},   {"with next", with_next, 3},
    {"with flipped", with_flipped, 3}, {"with products turned", with_products_turned, 16},
    {"with halves", with_halves, 3},
};
enum { APART = sizeof apart / sizeof *apart };

/* Bits are those of one matrix, of which there are rows alone, made at most once for each view. */
Test(made_again, what_views_show_is_made_for_each_of_them)
{
    enum { MOST = 5 << 20 };
    for (int i = 0; i < APART; i += zc_test_long_stride()) {
        const program_case *p = &apart[i];
        const zc_cost cost = cost_of(p, BY_BYTES, MANY, p->widest), held = cost_of(p, NO_GROUPS, MANY, p->widest);
        cr_expect_leq(cost.peak_bytes, MOST, "%s: %" PRId64, p->name, cost.peak_bytes);
        cr_expect_leq(cost.work, 3 * held.work, "%s", p->name);
        expect_same_in_blocks(p->name, p->make, MANY, p->widest, BY_BYTES, 2);
    }
}

static zc_tensor *very_long_sinkhorn(zc_context *ctx, int64_t count, int64_t width)
{
    return sinkhorn_of(ctx, count, width, 40, log_sum);
}

/* Plans within ever more headers, until they are enough. */
static void plan_within_any_headers(int64_t memory_limit)
{
    zc_status status = ZC_ERROR_BUDGET;
    for (int64_t header_limit = 1 << 16; status == ZC_ERROR_BUDGET && header_limit < 1 << 28;
         header_limit += header_limit / 16) {
        zc_context *ctx =
            zc_context_new(&(zc_options){.threads = 1, .header_limit = header_limit, .memory_limit = memory_limit});
        zc_scope *scope = zc_scope_begin(ctx);
        zc_cost cost;
        const zc_tensor *t = long_sinkhorn(ctx, MANY, 3);
        status = t != NULL ? zc_cost_of(t, &cost) : zc_error_status(ctx);
        zc_scope_end(scope);
        zc_context_free(ctx);
    }
    cr_expect_eq(status, ZC_OK);
}

/* Programs of more steps than are looked at, and headers with no room for attempts, are planned all the same. */
Test(made_again, what_is_too_much_is_held)
{
    const program_case steps = {"very long sinkhorn", very_long_sinkhorn, 3};
    cr_expect_leq(cost_of(&steps, BY_BYTES, MANY, 3).peak_bytes, cost_of(&steps, NO_GROUPS, MANY, 3).peak_bytes);
    plan_within_any_headers(0);
}

/* Lean plans try more, and are made all the same, too. */
Test(made_again, what_is_too_much_for_a_limit_is_made_again)
{
    plan_within_any_headers(3 << 20);
}

Test(made_again, nothing_is_whole_without_groups)
{
    zc_context *ctx = context_of(NO_GROUPS, 1);
    zc_scope *scope = zc_scope_begin(ctx);
    char *text = NULL;
    cr_assert_eq(zc_explain(scores(ctx, MANY, 3), ZC_TEXT, &text), ZC_OK);
    cr_expect_null(strstr(text, "whole"), "%s", text);
    zc_text_free(ctx, text);
    zc_scope_end(scope);
    zc_context_free(ctx);
}
