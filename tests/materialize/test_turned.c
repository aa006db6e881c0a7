/*
 * Temporaries that are laid out by another of their axes, since what reads them goes along that: with the bits of the
 * stages run one after the other, and without states of all columns. What cannot be read so stays as it was.
 */
#include "materialize/plan/group.h"
#include "runtime/graph/scope.h"
#include "tests/materialize/grouped.h"
#include "tests/support/failing.h"
#include "tests/support/random.h"

/* Few rows by so many columns that states of them are worth a turn; with MANY, worth all pairs made again; a row of
 * LONG is longer than a block. */
enum { ROWS = 21, COLUMNS = 30000, MANY = 140000, LONG = 400000 };

static zc_tensor *points(zc_context *ctx, zc_dtype dtype, int64_t count)
{
    const zc_tensor *number =
        zc_remainder(zc_multiply(zc_iota(ctx, 3 * count), zc_weak_int(ctx, 7919)), zc_weak_int(ctx, 89));
    const zc_tensor *scaled = zc_divide(zc_astype(number, ZC_FLOAT64), zc_weak_float(ctx, 64));
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(zc_astype(zc_reshape(scaled, ZC_SHAPE(count, 3)), dtype), &out), ZC_OK);
    return out;
}

static zc_tensor *distances(zc_context *ctx, int64_t columns)
{
    return distances_of(points(ctx, ZC_FLOAT32, ROWS), points(ctx, ZC_FLOAT32, columns));
}

static zc_tensor *kernel(zc_context *ctx)
{
    return zc_exp(zc_negative(distances(ctx, COLUMNS)));
}

static zc_tensor *weights(zc_context *ctx, int64_t count)
{
    return zc_slice(points(ctx, ZC_FLOAT32, count), 1, 0, 2, 1);
}

/* ---- Programs ---- */

static zc_tensor *least(zc_context *ctx)
{
    return zc_min(distances(ctx, COLUMNS), ZC_AXES(0), false);
}

static zc_tensor *place_of_least(zc_context *ctx)
{
    return zc_argmin(distances(ctx, COLUMNS), ZC_AXES(0), false);
}

static zc_tensor *density(zc_context *ctx)
{
    return zc_sum(kernel(ctx), ZC_AXES(0), false);
}

static zc_tensor *deviations(zc_context *ctx)
{
    return zc_std(distances(ctx, COLUMNS), ZC_AXES(0), 1, false);
}

static zc_tensor *transposed_product(zc_context *ctx)
{
    return zc_matmul(zc_matrix_transpose(kernel(ctx)), weights(ctx, ROWS));
}

static zc_tensor *normalized(zc_context *ctx)
{
    return zc_matmul(zc_softmax(distances(ctx, COLUMNS), 0), weights(ctx, COLUMNS));
}

static zc_tensor *gradient(zc_context *ctx)
{
    const zc_tensor *y = zc_variable(points(ctx, ZC_FLOAT32, COLUMNS));
    const zc_tensor *d = distances_of(points(ctx, ZC_FLOAT32, ROWS), y);
    return zc_grad(zc_sum(zc_exp(zc_negative(d)), ZC_ALL_AXES, false), y);
}

static zc_tensor *standardized(zc_context *ctx)
{
    const zc_tensor *d = distances(ctx, COLUMNS);
    const zc_tensor *z = zc_divide(zc_subtract(d, zc_mean(d, ZC_AXES(0), true)), zc_std(d, ZC_AXES(0), 0, true));
    return zc_max(z, ZC_AXES(0), false);
}

static zc_tensor *running(zc_context *ctx)
{
    return zc_max(zc_cumulative_sum(kernel(ctx), 0, false), ZC_AXES(0), false);
}

static zc_tensor *first_rows(zc_context *ctx)
{
    return zc_max(zc_slice(kernel(ctx), 0, 0, ROWS - 1, 1), ZC_AXES(0), false);
}

static zc_tensor *batches(zc_context *ctx)
{
    const zc_tensor *x = zc_reshape(points(ctx, ZC_FLOAT32, 3 * ROWS), ZC_SHAPE(3, ROWS, 1, 3));
    const zc_tensor *y = zc_reshape(points(ctx, ZC_FLOAT32, COLUMNS), ZC_SHAPE(1, 1, COLUMNS, 3));
    const zc_tensor *apart = zc_subtract(x, y);
    return zc_min(zc_sum(zc_multiply(apart, apart), ZC_AXES(3), false), ZC_AXES(0), false);
}

static zc_tensor *both_ways(zc_context *ctx)
{
    const zc_tensor *k = kernel(ctx);
    return zc_add(zc_max(k, ZC_AXES(0), false), zc_max(zc_max(k, ZC_AXES(1), false), ZC_AXES(0), false));
}

static zc_tensor *reversed(zc_context *ctx)
{
    return zc_argmax(zc_flip(distances(ctx, COLUMNS), ZC_AXES(0)), ZC_AXES(0), false);
}

static zc_tensor *flat(zc_context *ctx)
{
    return zc_max(zc_reshape(distances(ctx, COLUMNS), ZC_SHAPE(9, ROWS * COLUMNS / 9)), ZC_AXES(0), false);
}

static zc_tensor *later_rows(zc_context *ctx)
{
    return zc_max(zc_slice(kernel(ctx), 0, 5, ROWS, 1), ZC_AXES(0), false);
}

static zc_tensor *picked(zc_context *ctx)
{
    const zc_tensor *d = distances(ctx, COLUMNS);
    const zc_tensor *at = zc_remainder(zc_iota(ctx, 12), zc_weak_int(ctx, ROWS));
    return zc_add(zc_min(zc_take(d, at, 0), ZC_AXES(0), false), zc_max(d, ZC_AXES(0), false));
}

static zc_tensor *stacked(zc_context *ctx)
{
    const zc_tensor *d = distances(ctx, COLUMNS);
    const zc_tensor *const both[] = {d, zc_negative(d)};
    return zc_add(zc_max(zc_concat(ctx, 2, both, 0), ZC_AXES(0), false), zc_min(d, ZC_AXES(0), false));
}

/* Windows that begin in each row and end in the next one. */
static zc_tensor *across_rows(zc_context *ctx)
{
    const zc_tensor *x = zc_reshape(points(ctx, ZC_FLOAT32, 3 * ROWS), ZC_SHAPE(3, ROWS, 1, 3));
    const zc_tensor *y = zc_reshape(points(ctx, ZC_FLOAT32, COLUMNS), ZC_SHAPE(1, 1, COLUMNS, 3));
    const zc_tensor *apart = zc_subtract(x, y), *d = zc_sum(zc_multiply(apart, apart), ZC_AXES(3), false);
    const int64_t strides[] = {ROWS * COLUMNS, COLUMNS, 1, 1};
    const zc_tensor *windows = zc_as_strided(d, ZC_SHAPE(2, ROWS, 2, COLUMNS), strides, 0);
    return zc_add(zc_min(d, ZC_AXES(0), false), zc_expand_dims(zc_max(windows, ZC_AXES(0, 2, 3), false), 1));
}

/* An update in place of what would be turned. */
static zc_tensor *updated(zc_context *ctx)
{
    zc_scope *scope = zc_scope_begin(ctx); /* nobody else has the base */
    const zc_tensor *d = zc_cumulative_sum(distances(ctx, COLUMNS), 0, false);
    const zc_tensor *place = zc_slice(zc_places(d), 0, 3, 4, 1);
    const zc_tensor *put = zc_update(d, place, zc_full(ctx, 0, NULL, ZC_FLOAT32, 2.5), ZC_UPDATE_SET);
    return zc_scope_end_with(scope, zc_max(put, ZC_AXES(0), false));
}

typedef struct program_case {
    const char *name;
    zc_tensor *(*make)(zc_context *);
    bool is_turned;
} program_case;

static const program_case programs[] = {
    {"least", least, true},
    {"place of least", place_of_least, true},
    {"density", density, true},
    {"deviations", deviations, true},
    {"transposed product", transposed_product, true},
    {"normalized", normalized, true},
    {"gradient", gradient, true},
    {"standardized", standardized, true},
    {"running", running, true},
    {"first rows", first_rows, true},
    {"batches", batches, true},
    {"both ways", both_ways, true},
    {"reversed", reversed, false},
    {"flat", flat, false},
    {"later rows", later_rows, false},
    {"picked", picked, true},
    {"stacked", stacked, false},
    {"updated", updated, false},
    {"across rows", across_rows, false},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

/* Tells a plan with a stage that makes pairs column by column. */
static bool is_turned(const zc_tensor *t)
{
    zc_plan plan;
    bool is = false;
    cr_assert_eq(zc_plan_of(t, &plan), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    for (int32_t s = 0; s < plan.stage_count; s++) {
        const zc_stage *stage = plan.stages[s];
        is |= plan.slots[stage->store.slot].is_block && stage->kept > 1 && stage->shape[0] > stage->shape[1];
    }
    zc_plan_free(&plan);
    return is;
}

Test(turned, programs_have_the_bits_of_their_stages)
{
    static const int64_t lengths[] = {BY_BYTES, 1, 7, BY_BYTES};
    for (int i = 0; i < PROGRAMS; i += zc_test_stride()) {
        zc_context *alone = context_of(NO_GROUPS, 1);
        zc_scope *outer = zc_scope_begin(alone);
        const zc_tensor *wanted = compute(alone, programs[i].make(alone));
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            zc_context *ctx = context_of(lengths[l], 1 + (int)l % 3);
            zc_scope *scope = zc_scope_begin(ctx);
            const zc_tensor *t = programs[i].make(ctx);
            cr_expect(lengths[l] != BY_BYTES || is_turned(t) == programs[i].is_turned, "%s", programs[i].name);
            expect_same_bytes(wanted, compute(ctx, t), programs[i].name, lengths[l]);
            expect_same_bytes(wanted, compute(ctx, programs[i].make(ctx)), programs[i].name, lengths[l]); /* kept */
            zc_scope_end(scope);
            zc_context_free(ctx);
        }
        zc_scope_end(outer);
        zc_context_free(alone);
    }
}

/* ---- Memory ---- */

/* Rows and columns are both joined: by rows of each side, since states of all columns would be too large. */
static zc_tensor *both_sides(zc_context *ctx)
{
    const zc_tensor *x = zc_variable(points(ctx, ZC_FLOAT32, 60)), *y = zc_variable(points(ctx, ZC_FLOAT32, MANY));
    const zc_tensor *loss = zc_sum(zc_exp(zc_negative(distances_of(x, y))), ZC_ALL_AXES, false);
    const zc_tensor *of_x = zc_grad(loss, x), *of_y = zc_grad(loss, y);
    return zc_add(of_y, zc_max(of_x, ZC_AXES(0), true));
}

/* Has enough pairs to make them again. */
static zc_tensor *normalized_long(zc_context *ctx)
{
    const zc_tensor *d = distances_of(points(ctx, ZC_FLOAT32, 50), points(ctx, ZC_FLOAT32, LONG));
    return zc_max(zc_softmax(d, 0), ZC_AXES(0), false);
}

Test(turned, states_of_all_columns_are_not_in_memory)
{
    enum { MOST = 4 << 20 };
    static zc_tensor *(*const all[])(zc_context *) = {least,    density,    transposed_product,
                                                      gradient, both_sides, normalized_long};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        zc_context *ctx = context_of(BY_BYTES, 1);
        zc_scope *scope = zc_scope_begin(ctx);
        zc_cost cost;
        cr_assert_eq(zc_cost_of(all[i](ctx), &cost), ZC_OK);
        cr_expect_leq(cost.peak_bytes, MOST, "%zu: %lld", i, (long long)cost.peak_bytes);
        zc_scope_end(scope);
        zc_context_free(ctx);
    }
}

Test(turned, both_sides_have_the_bits_of_their_stages)
{
    zc_context *alone = context_of(NO_GROUPS, 1), *ctx = context_of(BY_BYTES, 2);
    zc_scope *outer = zc_scope_begin(alone), *scope = zc_scope_begin(ctx);
    const zc_tensor *t = both_sides(ctx);
    cr_expect(is_turned(t));
    expect_same_bytes(compute(alone, both_sides(alone)), compute(ctx, t), "both sides", BY_BYTES);
    zc_scope_end(scope);
    zc_scope_end(outer);
    zc_context_free(ctx);
    zc_context_free(alone);
}

/* Bytes in which the plan of a chain is made: each link could begin a group, but no turn of it is worth one. */
static int64_t bytes_of_chain(int64_t block_length)
{
    enum { LINKS = 60 };
    zc_cost cost;
    zc_context *ctx = context_of(block_length, 1);
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *t = zc_reshape(points(ctx, ZC_FLOAT32, 40000), ZC_SHAPE(300, 400));
    for (int i = 0; i < LINKS; i++)
        t = zc_softmax(t, 0);
    cr_assert_eq(zc_cost_of(t, &cost), ZC_OK);
    zc_scope_end(scope);
    zc_context_free(ctx);
    return cost.plan_bytes;
}

Test(turned, what_is_not_turned_takes_no_memory)
{
    cr_expect_leq(bytes_of_chain(BY_BYTES), 2 * bytes_of_chain(NO_GROUPS));
}

/* A matrix in memory would be read across its rows, for less memory than is worth that. */
static zc_tensor *normalized_matrix(zc_context *ctx, int64_t n)
{
    const zc_tensor *x = zc_reshape(points_of(ctx, n * n / 4, 4, 0), ZC_SHAPE(n / 2, 2 * n));
    return zc_max(zc_softmax(x, 0), ZC_AXES(0), false);
}

Test(turned, matrices_in_memory_are_read_along_their_rows)
{
    zc_context *ctx = context_of(BY_BYTES, 1);
    zc_scope *scope = zc_scope_begin(ctx);
    cr_expect(!is_turned(normalized_matrix(ctx, 1024)));
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* ... unless there is no room for what is held otherwise. */
Test(turned, matrices_in_memory_are_read_across_where_memory_is_short)
{
    enum { N = 1024, LIMIT = N * N * 4 + (3 << 20) };
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .memory_limit = LIMIT}),
               *alone = context_of(NO_GROUPS, 1);
    zc_scope *scope = zc_scope_begin(ctx), *outer = zc_scope_begin(alone);
    const zc_tensor *t = normalized_matrix(ctx, N);
    zc_context_trim(ctx);
    zc_cost cost;
    cr_assert_eq(zc_cost_of(t, &cost), ZC_OK, "%s", zc_error_text(ctx));
    cr_expect_leq(cost.peak_bytes, 3 << 20, "%lld", (long long)cost.peak_bytes);
    expect_same_bytes(compute(alone, normalized_matrix(alone, N)), compute(ctx, t), "short of memory", BY_BYTES);
    zc_scope_end(outer);
    zc_scope_end(scope);
    zc_context_free(ctx);
    zc_context_free(alone);
}

/* Tells an access of a stage that no value has. */
static bool has_unused_access(const zc_stage *stage)
{
    uint64_t used = 0;
    for (int32_t v = 0; v < stage->value_count; v++)
        used |= zc_value_moves(&stage->values[v]) ? UINT64_C(1) << stage->values[v].access : 0;
    return used != (UINT64_C(1) << stage->access_count) - 1;
}

/* Strategies count the accesses along an axis: those that a turned temporary was read by are gone. */
Test(turned, stages_have_no_other_accesses_than_their_values)
{
    for (int i = 0; i < PROGRAMS; i++) {
        zc_context *ctx = context_of(BY_BYTES, 1);
        zc_scope *scope = zc_scope_begin(ctx);
        zc_plan plan;
        cr_assert_eq(zc_plan_of(programs[i].make(ctx), &plan), ZC_OK);
        for (int32_t s = 0; s < plan.stage_count; s++)
            cr_expect(!has_unused_access(plan.stages[s]), "%s: stage %d", programs[i].name, (int)s);
        zc_plan_free(&plan);
        zc_scope_end(scope);
        zc_context_free(ctx);
    }
}

/* Sums that a group makes whole, since only what stands behind it reads them, lie as their node does: a handle keeps
 * them. */
Test(turned, what_stays_is_not_turned)
{
    enum { A = 20, B = 40, C = 7000 };
    const zc_tensor *of[2];
    zc_context *ctx[] = {context_of(NO_GROUPS, 1), context_of(2, 1)};
    zc_scope *scope[2];
    for (int i = 0; i < 2; i++) {
        scope[i] = zc_scope_begin(ctx[i]);
        const zc_tensor *x = zc_reshape(points(ctx[i], ZC_FLOAT32, A), ZC_SHAPE(A, 1, 1, 3));
        const zc_tensor *y = zc_reshape(points(ctx[i], ZC_FLOAT32, B * C), ZC_SHAPE(1, B, C, 3));
        const zc_tensor *apart = zc_subtract(x, y), *d = zc_sum(zc_multiply(apart, apart), ZC_AXES(3), false);
        of[i] = zc_cumulative_sum(d, 2, false);
        const zc_tensor *const asked[] = {zc_max(d, ZC_AXES(0), false), zc_max(d, ZC_AXES(1), false),
                                          zc_max(of[i], ZC_AXES(1), false)};
        zc_tensor *out[3];
        cr_assert_eq(zc_materialize_all(3, asked, out), ZC_OK, "%s", zc_error_text(ctx[i]));
    }
    expect_same_bytes(compute(ctx[0], of[0]), compute(ctx[1], of[1]), "what stays", 2);
    for (int i = 0; i < 2; i++) {
        zc_scope_end(scope[i]);
        zc_context_free(ctx[i]);
    }
}

/* States of many columns that cannot be turned, nor made again for anything, are there. */
Test(turned, large_states_are_joined_where_nothing_else_is_possible)
{
    zc_context *alone = context_of(NO_GROUPS, 1), *ctx = context_of(BY_BYTES, 1);
    zc_scope *outer = zc_scope_begin(alone), *scope = zc_scope_begin(ctx);
    const zc_tensor *t = zc_max(zc_flip(distances(ctx, MANY), ZC_AXES(0)), ZC_AXES(0), false);
    const zc_tensor *same = zc_max(zc_flip(distances(alone, MANY), ZC_AXES(0)), ZC_AXES(0), false);
    cr_expect(!is_turned(t));
    expect_same_bytes(compute(alone, same), compute(ctx, t), "reversed", BY_BYTES);
    zc_scope_end(scope);
    zc_scope_end(outer);
    zc_context_free(ctx);
    zc_context_free(alone);
}

/* Few columns need small states: they go on by rows of the many. */
Test(turned, small_states_are_joined)
{
    zc_context *ctx = context_of(BY_BYTES, 1);
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *d = distances_of(points(ctx, ZC_FLOAT32, COLUMNS), points(ctx, ZC_FLOAT32, ROWS));
    const zc_tensor *t = zc_min(d, ZC_AXES(0), false);
    zc_plan plan;
    cr_assert_eq(zc_plan_of(t, &plan), ZC_OK);
    cr_expect_eq(plan.stages[0]->shape[0], COLUMNS);
    cr_expect_eq(plan.stages[0]->shape[1], ROWS);
    cr_expect(zc_stage_absorbs(plan.stages[1]));
    zc_plan_free(&plan);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

Test(turned, leaves_nothing_where_memory_fails)
{
    bool is_reached = true;
    for (int64_t k = 1; is_reached; k++) {
        zc_failing state = {0};
        zc_allocator allocator = zc_failing_allocator(&state);
        zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator, .threads = 1});
        zc_scope *scope = zc_scope_begin(ctx);
        const zc_tensor *t = normalized(ctx);
        zc_tensor *out = NULL;
        state.fail_at = state.calls + k;
        const zc_status status = zc_materialize(t, &out);
        is_reached = state.calls >= state.fail_at;
        cr_expect(status == ZC_OK || (status == ZC_ERROR_MEMORY && out == NULL && is_reached), "%d", (int)status);
        state.fail_at = 0;
        zc_error_clear(ctx);
        zc_scope_end(scope);
        zc_context_free(ctx);
        cr_expect(state.blocks == 0 && state.faults == 0, "call %lld: something is left", (long long)k);
    }
}
