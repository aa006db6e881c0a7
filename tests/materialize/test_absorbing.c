/*
 * Groups whose members reduce along the outer axes: they absorb blocks. Whatever is joined, along whichever axes, by
 * however many threads, in blocks of any length, has the bits of the stages run one after the other; and what needs all
 * rows twice, with a result of all of them between, makes them again instead of holding them.
 *
 * Longer than 500 lines because each program of a user and each law that is broken is a function.
 */
#include <inttypes.h>
#include <string.h>

#include "materialize/plan/group.h"
#include "materialize/plan/verify.h"
#include "materialize/run/executors.h"
#include "materialize/stages/map.h"
#include "tests/materialize/grouped.h"
#include "tests/materialize/plan_of.h"
#include "tests/support/failing.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

static zc_tensor *draw(zc_context *ctx, zc_dtype dtype, int rank, const int64_t *shape)
{
    int64_t size = 1;
    for (int a = 0; a < rank; a++)
        size *= shape[a];
    const zc_tensor *number =
        zc_remainder(zc_multiply(zc_iota(ctx, size), zc_weak_int(ctx, 7919)), zc_weak_int(ctx, 97));
    const zc_tensor *scaled =
        zc_subtract(zc_divide(zc_astype(number, ZC_FLOAT64), zc_weak_float(ctx, 64)), zc_weak_float(ctx, 0.7));
    zc_tensor *out = NULL;
    const bool is_whole = zc_dtype_describe(dtype)->kind < ZC_KIND_FLOAT;
    cr_assert_eq(zc_materialize(zc_astype(zc_reshape(is_whole ? number : scaled, rank, shape), dtype), &out), ZC_OK);
    return out;
}

/* All pairs of batches of rows: (batches, rows, columns), or without batches. */
typedef struct pairs {
    int64_t batches, rows, columns;
    zc_dtype dtype;
} pairs;

static zc_tensor *distances(zc_context *ctx, const pairs *p)
{
    const int first = p->batches == 0;
    const int64_t x_shape[] = {p->batches, p->rows, 3}, y_shape[] = {p->batches, p->columns, 3};
    const zc_tensor *x = draw(ctx, p->dtype, 3 - first, x_shape + first);
    const zc_tensor *y = draw(ctx, p->dtype, 3 - first, y_shape + first);
    const zc_tensor *apart = zc_subtract(zc_expand_dims(x, 2 - first), zc_expand_dims(y, 1 - first));
    return zc_sum(zc_multiply(apart, zc_add(apart, zc_weak_int(ctx, 1))), ZC_AXES(-1), false);
}

/* ---- Reductions ---- */

typedef zc_tensor *reduction(const zc_tensor *x, int count, const int *axes, bool keepdims);

static reduction *const reductions[] = {zc_sum, zc_prod, zc_mean, zc_min, zc_max, zc_any, zc_all, zc_argmin, zc_argmax};
enum { REDUCTIONS = sizeof reductions / sizeof *reductions };

static zc_tensor *count_above(const zc_tensor *x, int count, const int *axes, bool keepdims)
{
    return zc_count_nonzero(zc_greater(x, zc_weak_int(zc_context_of(x), 1)), count, axes, keepdims);
}

/* Axes of a reduction along the rows: the last ones, the last but one, or all. */
static int axes_of(int choice, int *axes)
{
    static const int lists[][2] = {{-2, -1}, {-2, 0}, {-1, 0}};
    static const int counts[] = {2, 1, 1};
    memcpy(axes, lists[choice % 3], sizeof lists[0]);
    return counts[choice % 3];
}

static zc_tensor *reduce_distances(zc_context *ctx, const pairs *p, int number, int choice)
{
    int axes[2];
    const int count = axes_of(choice, axes);
    const bool is_complex = zc_dtype_is_complex(p->dtype);
    reduction *reduce = number == REDUCTIONS ? count_above : reductions[number];
    const zc_tensor *d = distances(ctx, p);
    if (is_complex && (number >= REDUCTIONS - 6 || number == REDUCTIONS))
        d = zc_real(d);
    return reduce(d, count, axes, false);
}

static int count_absorbing(const zc_tensor *t)
{
    zc_plan plan;
    int count = 0;
    cr_assert_eq(zc_plan_of(t, &plan), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    for (int32_t s = 0; s < plan.stage_count; s++)
        count += zc_stage_absorbs(plan.stages[s]);
    zc_plan_free(&plan);
    return count;
}

Test(absorbing, joins_blocks_to_the_bits_of_all_elements_at_once)
{
    static const pairs shapes[] = {{0, 37, 50, ZC_FLOAT32},  {0, 1100, 33, ZC_FLOAT64}, {3, 40, 129, ZC_FLOAT32},
                                   {0, 19, 2051, ZC_INT32},  {2, 70, 16, ZC_UINT8},     {0, 65, 7, ZC_COMPLEX64},
                                   {0, 300, 300, ZC_FLOAT16}};
    static const int64_t lengths[] = {1, 2, 3, 16, 18, 64};
    int absorbing = 0;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        for (int r = 0; r < 3 * (REDUCTIONS + 1); r += zc_test_stride()) {
            zc_context *alone = context_of(NO_GROUPS, 1);
            zc_scope *outer = zc_scope_begin(alone);
            const zc_tensor *wanted = compute(alone, reduce_distances(alone, &shapes[s], r / 3, r));
            for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
                zc_context *ctx = context_of(lengths[l], 1 + (int)l % 3);
                zc_scope *scope = zc_scope_begin(ctx);
                const zc_tensor *t = reduce_distances(ctx, &shapes[s], r / 3, r);
                absorbing += count_absorbing(t);
                expect_same_bytes(wanted, compute(ctx, t), zc_dtype_name(shapes[s].dtype), lengths[l]);
                zc_scope_end(scope);
                zc_context_free(ctx);
            }
            zc_scope_end(outer);
            zc_context_free(alone);
        }
    }
    cr_expect_gt(absorbing, 300 / zc_test_stride(), "%d", absorbing);
}

/* ---- Contractions, and results of all rows that are needed with the rows ---- */

static const pairs plain = {0, 1500, 70, ZC_FLOAT32}, batched = {2, 1200, 300, ZC_FLOAT64};

static zc_tensor *weights(zc_context *ctx, int64_t rows, int64_t columns)
{
    return draw(ctx, ZC_FLOAT32, ZC_SHAPE(rows, columns));
}

static zc_tensor *kernel_transposed(zc_context *ctx)
{
    return zc_matmul(zc_matrix_transpose(zc_exp(zc_negative(distances(ctx, &plain)))), weights(ctx, 1500, 5));
}

static zc_tensor *kernel_by_column(zc_context *ctx)
{
    return zc_matmul(zc_matrix_transpose(zc_exp(zc_negative(distances(ctx, &plain)))), weights(ctx, 1500, 1));
}

/* 9,000 rows: more chains than one run has. */
static zc_tensor *many_chains(zc_context *ctx)
{
    const pairs p = {0, 9000, 11, ZC_FLOAT32};
    return zc_matmul(weights(ctx, 1, 9000), zc_cos(distances(ctx, &p)));
}

static zc_tensor *batches_transposed(zc_context *ctx)
{
    const zc_tensor *d = zc_exp(zc_negative(distances(ctx, &batched)));
    return zc_matmul(zc_matrix_transpose(d), draw(ctx, ZC_FLOAT64, ZC_SHAPE(2, 1200, 4)));
}

static zc_tensor *gram_of_rows(zc_context *ctx)
{
    const pairs p = {0, 2000, 30, ZC_FLOAT64};
    const zc_tensor *d = zc_tanh(distances(ctx, &p));
    return zc_matmul(zc_matrix_transpose(d), d);
}

static zc_tensor *both_sides(zc_context *ctx)
{
    const zc_tensor *e = zc_exp(zc_negative(distances(ctx, &plain)));
    const zc_tensor *right = zc_matmul(e, weights(ctx, 70, 4));
    const zc_tensor *left = zc_matmul(zc_matrix_transpose(e), weights(ctx, 1500, 4));
    return zc_add(zc_sum(right, ZC_ALL_AXES, false), zc_sum(left, ZC_ALL_AXES, false));
}

static zc_tensor *deviation(zc_context *ctx)
{
    return zc_std(distances(ctx, &plain), ZC_ALL_AXES, 0, false);
}

static zc_tensor *softmax_of_columns(zc_context *ctx)
{
    return zc_matmul(zc_softmax(distances(ctx, &plain), 0), weights(ctx, 70, 3));
}

static zc_tensor *centred(zc_context *ctx)
{
    const zc_tensor *d = distances(ctx, &plain);
    const zc_tensor *off = zc_subtract(d, zc_mean(d, ZC_AXES(0), true));
    return zc_max(zc_add(off, zc_mean(d, ZC_ALL_AXES, true)), ZC_AXES(1), false);
}

static zc_tensor *standardized(zc_context *ctx)
{
    const zc_tensor *d = distances(ctx, &plain);
    const zc_tensor *z = zc_divide(zc_subtract(d, zc_mean(d, ZC_ALL_AXES, true)), zc_std(d, ZC_ALL_AXES, 0, true));
    return zc_min(z, ZC_AXES(1), false);
}

/* Slabs of a concat: of what is read by rows, and of what is not. */
static zc_tensor *side_by_side(zc_context *ctx)
{
    const zc_tensor *d = distances(ctx, &plain);
    const zc_tensor *const all[] = {zc_min(d, ZC_AXES(0), false), zc_exp(weights(ctx, 1, 70)),
                                    zc_max(d, ZC_AXES(0), false)};
    const zc_tensor *const flat[] = {all[0], zc_reshape(all[1], ZC_SHAPE(70)), all[2]};
    return zc_add(zc_concat(ctx, 3, flat, 0), zc_sum(d, ZC_ALL_AXES, false));
}

/* Several outer axes, of which rows are longer than a block. */
static zc_tensor *large_batches(zc_context *ctx, int64_t batches, int64_t rows, int64_t columns)
{
    const zc_tensor *x = draw(ctx, ZC_FLOAT32, ZC_SHAPE(batches, rows, 1, 3));
    const zc_tensor *apart = zc_subtract(x, draw(ctx, ZC_FLOAT32, ZC_SHAPE(1, 1, columns, 3)));
    return zc_sum(zc_multiply(apart, apart), ZC_AXES(3), false);
}

static zc_tensor *sum_of_batches(zc_context *ctx)
{
    return zc_sum(large_batches(ctx, 4, 3000, 200), ZC_ALL_AXES, false);
}

static zc_tensor *last_of_batches(zc_context *ctx)
{
    return zc_argmax(zc_negative(large_batches(ctx, 4, 3000, 200)), ZC_ALL_AXES, false);
}

static zc_tensor *contracted_batches(zc_context *ctx)
{
    const zc_tensor *w = draw(ctx, ZC_FLOAT32, ZC_SHAPE(8, 64, 3));
    return zc_tensordot(large_batches(ctx, 8, 64, 4200), w, 2, (const int[]){0, 1}, (const int[]){0, 1});
}

static zc_tensor *contracted_chains(zc_context *ctx)
{
    const zc_tensor *w = draw(ctx, ZC_FLOAT32, ZC_SHAPE(8, 256, 2));
    return zc_tensordot(large_batches(ctx, 8, 256, 1100), w, 2, (const int[]){0, 1}, (const int[]){0, 1});
}

/* A kept axis stands before the outer one that is kept. */
static zc_tensor *broadcast_batches(zc_context *ctx)
{
    const zc_tensor *d = large_batches(ctx, 4, 1024, 500);
    return zc_matmul(zc_matrix_transpose(d), draw(ctx, ZC_FLOAT32, ZC_SHAPE(2, 4, 1024, 3)));
}

static zc_tensor *one_batch_before(zc_context *ctx)
{
    const zc_tensor *d = large_batches(ctx, 4, 1024, 500);
    return zc_matmul(zc_matrix_transpose(d), draw(ctx, ZC_FLOAT32, ZC_SHAPE(1, 4, 1024, 3)));
}

/* All rows are fewer than a chain. */
static zc_tensor *few_rows(zc_context *ctx)
{
    const pairs p = {0, 100, 9, ZC_FLOAT32};
    return zc_matmul(zc_matrix_transpose(zc_exp(zc_negative(distances(ctx, &p)))), weights(ctx, 100, 5));
}

/* A chain is 256 rows of one contraction, and 4 of the other. */
static zc_tensor *two_lengths(zc_context *ctx)
{
    const pairs p = {0, 1000, 64, ZC_FLOAT32};
    const zc_tensor *e = zc_exp(zc_negative(distances(ctx, &p)));
    const zc_tensor *long_chains = zc_matmul(zc_matrix_transpose(e), weights(ctx, 1000, 3));
    const zc_tensor *all = zc_tensordot(e, weights(ctx, 1000, 64), 2, (const int[]){0, 1}, (const int[]){0, 1});
    return zc_add(long_chains, all);
}

/* A row takes more than a block may. */
static zc_tensor *long_rows(zc_context *ctx)
{
    const zc_tensor *x = draw(ctx, ZC_FLOAT32, ZC_SHAPE(3, 1, 3)), *y = draw(ctx, ZC_FLOAT32, ZC_SHAPE(1, 1100000, 3));
    const zc_tensor *apart = zc_subtract(x, y), *d = zc_sum(zc_multiply(apart, apart), ZC_AXES(2), false);
    return zc_max(zc_cumulative_sum(d, 1, false), ZC_AXES(1), false);
}

/* Rows of two matrices are read together, before and behind what is known of all of them. */
static zc_tensor *covariance(zc_context *ctx)
{
    const zc_tensor *d = distances(ctx, &plain), *e = zc_exp(zc_negative(zc_square(d)));
    const zc_tensor *x = draw(ctx, ZC_FLOAT32, ZC_SHAPE(1500, 1)), *y = draw(ctx, ZC_FLOAT32, ZC_SHAPE(1, 70));
    const zc_tensor *f = zc_cumulative_sum(zc_multiply(x, y), 1, false);
    const zc_tensor *both =
        zc_multiply(zc_subtract(e, zc_mean(e, ZC_ALL_AXES, true)), zc_subtract(f, zc_mean(f, ZC_ALL_AXES, true)));
    return zc_sum(both, ZC_ALL_AXES, false);
}

/* To make rows of 600 products an element again takes longer than to hold them. */
static zc_tensor *costly_rows(zc_context *ctx)
{
    const zc_tensor *d = zc_matmul(weights(ctx, 40, 600), zc_matrix_transpose(weights(ctx, 30, 600)));
    return zc_std(zc_exp(d), ZC_ALL_AXES, 0, false);
}

/* The marks of the greatest of a column are read behind the group alone: they go there. */
static zc_tensor *gradient_of_log_sum(zc_context *ctx, int64_t rows, int64_t columns)
{
    const zc_tensor *x = draw(ctx, ZC_FLOAT32, ZC_SHAPE(rows, 3)),
                    *y = zc_variable(draw(ctx, ZC_FLOAT32, ZC_SHAPE(columns, 3)));
    const zc_tensor *apart = zc_subtract(zc_expand_dims(x, 1), zc_expand_dims(y, 0));
    const zc_tensor *d = zc_sum(zc_multiply(apart, apart), ZC_AXES(2), false);
    return zc_grad(zc_sum(zc_logsumexp(zc_negative(d), ZC_AXES(0), false), ZC_ALL_AXES, false), y);
}

static zc_tensor *gradient_of_few(zc_context *ctx)
{
    return gradient_of_log_sum(ctx, 150, 70);
}

typedef struct program_case {
    const char *name;
    zc_tensor *(*make)(zc_context *);
    int64_t absorbed_in; /* blocks of this number of rows, or BY_BYTES; NO_GROUPS: in none */
} program_case;

static const program_case programs[] = {
    {"kernel transposed", kernel_transposed, 1},
    {"kernel by a column", kernel_by_column, 1},
    {"many chains", many_chains, 7},
    {"batches", batches_transposed, BY_BYTES},
    {"gram", gram_of_rows, 1},
    {"both sides", both_sides, 256},
    {"deviation", deviation, 7},
    {"softmax of columns", softmax_of_columns, 1},
    {"centred", centred, 7},
    {"standardized", standardized, 7},
    {"side by side", side_by_side, NO_GROUPS},
    {"sum of batches", sum_of_batches, BY_BYTES},
    {"last of batches", last_of_batches, BY_BYTES},
    {"contracted batches", contracted_batches, NO_GROUPS},
    {"contracted chains", contracted_chains, BY_BYTES},
    {"broadcast batches", broadcast_batches, NO_GROUPS},
    {"one batch before", one_batch_before, BY_BYTES},
    {"few rows", few_rows, 7},
    {"two lengths", two_lengths, 256},
    {"long rows", long_rows, NO_GROUPS},
    {"covariance", covariance, 7},
    {"costly rows", costly_rows, NO_GROUPS},
    {"gradient of a log of sums", gradient_of_few, 7},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

Test(absorbing, programs_have_the_bits_of_their_stages)
{
    static const int64_t lengths[] = {BY_BYTES, BY_BYTES, BY_BYTES, 1, 7, 256};
    for (int i = 0; i < PROGRAMS; i++) {
        zc_context *alone = context_of(NO_GROUPS, 1);
        zc_scope *outer = zc_scope_begin(alone);
        const zc_tensor *wanted = compute(alone, programs[i].make(alone));
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l += (size_t)(1 + zc_test_stride() / 4)) {
            zc_context *ctx = context_of(lengths[l], 1 + (int)l % 3);
            zc_scope *scope = zc_scope_begin(ctx);
            const zc_tensor *t = programs[i].make(ctx);
            if (programs[i].absorbed_in == NO_GROUPS && lengths[l] == BY_BYTES)
                cr_expect_eq(count_absorbing(t), 0, "%s", programs[i].name);
            else if (lengths[l] == programs[i].absorbed_in)
                cr_expect_gt(count_absorbing(t), 0, "%s", programs[i].name);
            expect_same_bytes(wanted, compute(ctx, t), programs[i].name, lengths[l]);
            expect_same_bytes(wanted, compute(ctx, programs[i].make(ctx)), programs[i].name, lengths[l]); /* kept */
            zc_scope_end(scope);
            zc_context_free(ctx);
        }
        zc_scope_end(outer);
        zc_context_free(alone);
    }
}

/* 5,000 by 4,000 pairs would take 80 MB. */
static const pairs many = {0, 5000, 4000, ZC_FLOAT32};

static zc_tensor *loss(zc_context *ctx)
{
    return zc_sum(zc_exp(zc_negative(distances(ctx, &many))), ZC_ALL_AXES, false);
}

static zc_tensor *least_of_columns(zc_context *ctx)
{
    return zc_min(distances(ctx, &many), ZC_AXES(0), false);
}

static zc_tensor *deviation_of_many(zc_context *ctx)
{
    return zc_std(distances(ctx, &many), ZC_ALL_AXES, 0, false);
}

static zc_tensor *log_of_sum(zc_context *ctx)
{
    return zc_logsumexp(distances(ctx, &many), ZC_ALL_AXES, false);
}

static zc_tensor *normalized_columns(zc_context *ctx)
{
    return zc_matmul(zc_softmax(distances(ctx, &many), 0), weights(ctx, 4000, 3));
}

static zc_tensor *centred_both_ways(zc_context *ctx)
{
    const zc_tensor *d = distances(ctx, &many);
    const zc_tensor *off = zc_subtract(zc_subtract(d, zc_mean(d, ZC_AXES(0), true)), zc_mean(d, ZC_AXES(1), true));
    const zc_tensor *centre = zc_add(off, zc_mean(d, ZC_ALL_AXES, true));
    return zc_sum(zc_multiply(centre, centre), ZC_ALL_AXES, false);
}

static zc_tensor *quadratic_form(zc_context *ctx)
{
    const zc_tensor *k = zc_exp(zc_negative(distances(ctx, &many)));
    return zc_matmul(zc_matmul(weights(ctx, 1, 5000), k), weights(ctx, 4000, 1));
}

static zc_tensor *gradient_by_columns(zc_context *ctx)
{
    const zc_tensor *x = draw(ctx, ZC_FLOAT32, ZC_SHAPE(5000, 3)),
                    *y = zc_variable(draw(ctx, ZC_FLOAT32, ZC_SHAPE(4000, 3)));
    const zc_tensor *apart = zc_subtract(zc_expand_dims(x, 1), zc_expand_dims(y, 0));
    const zc_tensor *d = zc_sum(zc_multiply(apart, apart), ZC_AXES(2), false);
    return zc_grad(zc_sum(zc_exp(zc_negative(d)), ZC_ALL_AXES, false), y);
}

static zc_tensor *gradient_of_many(zc_context *ctx)
{
    return gradient_of_log_sum(ctx, 5000, 4000);
}

Test(absorbing, no_matrix_of_all_pairs_is_in_memory)
{
    enum { MOST = 7 << 20 };
    static zc_tensor *(*const programs_of_many[])(zc_context *) = {
        loss,           least_of_columns,    deviation_of_many, log_of_sum, normalized_columns, centred_both_ways,
        quadratic_form, gradient_by_columns, gradient_of_many};
    for (size_t i = 0; i < sizeof programs_of_many / sizeof *programs_of_many; i++) {
        zc_context *ctx = context_of(BY_BYTES, 1);
        zc_scope *scope = zc_scope_begin(ctx);
        zc_cost cost;
        cr_assert_eq(zc_cost_of(programs_of_many[i](ctx), &cost), ZC_OK);
        cr_expect_leq(cost.peak_bytes, MOST, "%zu: %" PRId64, i, cost.peak_bytes);
        zc_scope_end(scope);
        zc_context_free(ctx);
    }
}

/* Under a limit with no room for both results, plans are tried that store little: in them a member reads what is made
 * between the first late stage and itself. */
Test(absorbing, what_is_made_again_is_behind_what_it_reads)
{
    static const int64_t lengths[] = {1, 5, 256};
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .memory_limit = 5000});
        ctx->block_length = lengths[l];
        zc_scope *scope = zc_scope_begin(ctx);
        const zc_tensor *x = zc_astype(zc_reshape(zc_iota(ctx, 12), ZC_SHAPE(4, 1, 3)), ZC_FLOAT32);
        const zc_tensor *y = zc_astype(zc_reshape(zc_iota(ctx, 1107), ZC_SHAPE(369, 3)), ZC_FLOAT32);
        const zc_tensor *apart = zc_subtract(x, y);
        const zc_tensor *const both[] = {zc_log_softmax(apart, 0), zc_softmax(apart, 0)};
        zc_tensor *out[2];
        cr_expect_eq(zc_materialize_all(2, both, out), ZC_ERROR_BUDGET, "%s", zc_error_text(ctx));
        zc_scope_end(scope);
        zc_context_free(ctx);
    }
}

/* ---- Threads ---- */

/* Blocks begin where groups of sum blocks do, so threads share each of them. */
static const pairs shared[] = {{0, 1100, 200, ZC_FLOAT32}, {0, 139, 1024, ZC_FLOAT32}};

static zc_tensor *shared_result(zc_context *ctx, int which)
{
    const zc_tensor *e = zc_exp(zc_negative(zc_sqrt(zc_exp(distances(ctx, &shared[which / 5])))));
    switch (which % 5) {
    case 0:
        return zc_sum(e, ZC_ALL_AXES, false);
    case 1:
        return zc_argmin(zc_cos(zc_multiply(e, zc_weak_float(ctx, 1e4))), ZC_ALL_AXES, false);
    case 2:
        return zc_any(zc_greater(e, zc_weak_float(ctx, 0.3678)), ZC_ALL_AXES, false);
    case 3:
        return zc_count_nonzero(zc_greater(e, zc_weak_float(ctx, 0.2)), ZC_ALL_AXES, false);
    default:
        return zc_prod(zc_add(e, zc_weak_float(ctx, 0.99)), ZC_ALL_AXES, false);
    }
}

Test(absorbing, threads_share_blocks)
{
    static const int64_t lengths[] = {128, 256, 1024, 64};
    for (int which = 0; which < 10; which += zc_test_step(2)) {
        zc_context *alone = context_of(NO_GROUPS, 1);
        zc_scope *outer = zc_scope_begin(alone);
        const zc_tensor *wanted = compute(alone, shared_result(alone, which));
        for (int i = 0; i < 8; i++) {
            zc_context *ctx = context_of(lengths[i / 2], 2 + i % 2);
            zc_scope *scope = zc_scope_begin(ctx);
            expect_same_bytes(wanted, compute(ctx, shared_result(ctx, which)), "shared", lengths[i / 2]);
            zc_scope_end(scope);
            zc_context_free(ctx);
        }
        zc_scope_end(outer);
        zc_context_free(alone);
    }
}

/* ---- Failing memory, explanation, and groups that end again ---- */

Test(absorbing, leaves_nothing_where_memory_fails)
{
    bool is_reached = true;
    for (int64_t k = 1; is_reached; k++) {
        zc_failing state = {0};
        zc_allocator allocator = zc_failing_allocator(&state);
        zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator, .threads = 1});
        ctx->block_length = 256;
        zc_scope *scope = zc_scope_begin(ctx);
        const zc_tensor *t = kernel_transposed(ctx);
        zc_tensor *out = NULL;
        state.fail_at = state.calls + k;
        const zc_status status = zc_materialize(t, &out);
        is_reached = state.calls >= state.fail_at;
        cr_expect(status == ZC_OK || (status == ZC_ERROR_MEMORY && out == NULL && is_reached), "%d", (int)status);
        state.fail_at = 0;
        zc_error_clear(ctx);
        cr_expect_eq(zc_materialize(t, &out), ZC_OK);
        zc_scope_end(scope);
        zc_context_free(ctx);
        cr_expect(state.blocks == 0 && state.faults == 0, "call %" PRId64 ": something is left", k);
    }
}

Test(absorbing, is_explained)
{
    for (int format = ZC_TEXT; format <= ZC_BRIEF; format++) {
        zc_context *ctx = context_of(256, 1);
        zc_scope *scope = zc_scope_begin(ctx);
        char *text = NULL;
        cr_assert_eq(zc_explain(both_sides(ctx), (zc_format)format, &text), ZC_OK);
        cr_expect(format != ZC_TEXT || strstr(text, "run by absorbing, strategy contract") != NULL, "%s", text);
        zc_text_free(ctx, text);
        cr_assert_eq(zc_explain(deviation(ctx), (zc_format)format, &text), ZC_OK);
        cr_expect_not_null(strstr(text, "again"), "%s", text);
        zc_text_free(ctx, text);
        zc_scope_end(scope);
        zc_context_free(ctx);
    }
}

/* Running sums of columns take the most memory, whatever is made again for the deviation: so nothing is. */
Test(absorbing, groups_end_where_they_do_not_lower_the_peak)
{
    static const pairs tall = {0, 9000, 4000, ZC_FLOAT32};
    zc_context *ctx = context_of(BY_BYTES, 1);
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *running = zc_cumulative_sum(distances(ctx, &tall), 0, false);
    const zc_tensor *const all[] = {
        zc_std(distances(ctx, &many), ZC_ALL_AXES, 0, false),
        zc_max(zc_flip(zc_cumulative_sum(running, 0, false), ZC_AXES(0)), ZC_AXES(1), false)};
    char *text = NULL;
    cr_assert_eq(zc_explain_all(2, all, ZC_TEXT, &text), ZC_OK);
    cr_expect_null(strstr(text, ", again:"), "%s", text);
    cr_expect_null(strstr(text, "in turns"), "%s", text);
    zc_text_free(ctx, text);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* ---- The law ---- */

static zc_member *find_absorbing(const zc_plan *plan)
{
    int32_t s = 0;
    while (!zc_stage_absorbs(plan->stages[s]))
        s++;
    return plan->stages[s]->member;
}

static void break_number(zc_plan *plan)
{
    find_absorbing(plan)->absorbed++;
}
static void break_axis(zc_plan *plan)
{
    find_absorbing(plan)->outer[0]++;
}
static void break_block(zc_plan *plan)
{
    zc_slot *slot = &plan->slots[find_absorbing(plan)->whole->store.slot];
    slot->is_block = true;
}
static void break_chain(zc_plan *plan)
{
    ((zc_group *)(uintptr_t)find_absorbing(plan)->group)->length--;
}
static void break_chain_of_all(zc_plan *plan)
{
    zc_group *group = (zc_group *)(uintptr_t)find_absorbing(plan)->group;
    group->length = group->extent[0];
}
static void break_order(zc_plan *plan)
{
    zc_stage *stage = (zc_stage *)(uintptr_t)find_absorbing(plan)->whole;
    stage->store.stride[0]++;
}
static void break_rule(zc_plan *plan)
{
    zc_stage *stage = (zc_stage *)(uintptr_t)find_absorbing(plan)->whole;
    stage->reduce.invariant_count = 2;
}

static void break_membership(zc_plan *plan)
{
    zc_group *other = zc_arena_copy(&plan->arena, find_absorbing(plan)->group, 1, sizeof *other);
    find_absorbing(plan)->group = other;
}
static void break_reach(zc_plan *plan)
{
    find_absorbing(plan)->outer[0] = 9;
}
static void break_short_block(zc_plan *plan)
{
    ((zc_group *)(uintptr_t)find_absorbing(plan)->group)->length = 100;
}

Test(absorbing, verification_refuses_what_would_join_other_elements)
{
    static void (*const breakages[])(zc_plan *) = {break_number,       break_axis,       break_block, break_chain,
                                                   break_chain_of_all, break_order,      break_rule,  break_membership,
                                                   break_reach,        break_short_block};
    expect_refusals(kernel_transposed, 1, (int)(sizeof breakages / sizeof *breakages), breakages);
}

/* Kinds that make each result in one go are no members that absorb. */
Test(absorbing, is_a_matter_of_kinds)
{
    zc_context *ctx = context_of(1, 1);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_plan plan;
    cr_assert_eq(zc_plan_of(kernel_transposed(ctx), &plan), ZC_OK);
    const zc_member *member = find_absorbing(&plan);
    zc_stage *stage = (zc_stage *)(uintptr_t)member->whole;
    const zc_stage_kind *kind = stage->kind;
    cr_expect_eq(zc_group_absorbed(member->group, member->outer, stage), 1);
    stage->kind = &zc_stage_kind_map;
    stage->kept--;
    cr_expect_eq(zc_group_absorbed(member->group, member->outer, stage), -1);
    stage->kept++;
    stage->kind = kind;
    zc_plan_free(&plan);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* The reference makes an element in one go: it declines what goes on from a state, and nobody else is asked. */
Test(absorbing, is_declined_by_the_reference)
{
    zc_context *ctx = context_of(1, 1);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_plan plan;
    cr_assert_eq(zc_plan_of(kernel_transposed(ctx), &plan), ZC_OK);
    zc_stage *stage = zc_stage_run((zc_stage *)(uintptr_t)find_absorbing(&plan)->whole);
    char **slots = zc_arena_take(&plan.arena, (size_t)plan.slot_count, sizeof *slots);
    for (int32_t s = 0; s < plan.slot_count; s++)
        slots[s] = NULL;
    cr_assert(zc_stage_prepare(ctx, stage, slots, &plan.arena));
    zc_stage_release(stage);
    ctx->options.executor = ZC_EXECUTOR_REFERENCE;
    cr_expect_not(zc_stage_prepare(ctx, stage, slots, &plan.arena));
    cr_expect_null(stage->executor);
    zc_plan_free(&plan);
    zc_scope_end(scope);
    zc_context_free(ctx);
}
