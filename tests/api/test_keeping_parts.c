/* Which temporaries stay in memory without a handle, as programs see it: of what is read in part. */
#include "tests/api/values.h"

enum { SIDE = 64, SIZE = SIDE * SIDE };

static double number_of(zc_context *ctx, const zc_tensor *t)
{
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(t, &out), ZC_OK, "%s", zc_error_text(ctx));
    return *(const double *)zc_data(out);
}

/* A square of numbers that is in memory. */
static zc_tensor *square_of(zc_context *ctx)
{
    zc_tensor *out = NULL;
    zc_tensor *numbers = zc_divide(zc_astype(zc_iota(ctx, SIZE), ZC_FLOAT64), zc_weak_float(ctx, SIZE));
    cr_assert_eq(zc_materialize(zc_reshape(numbers, ZC_SHAPE(SIDE, SIDE)), &out), ZC_OK);
    return out;
}

static zc_tensor *multiplied(const zc_tensor *x)
{
    return zc_divide(zc_matmul(x, x), zc_weak_float(zc_context_of(x), SIDE));
}

/* A loop that shows a part of what it makes every few steps goes on from the step before, so it computes each once. */
Test(keeping_parts, steps_that_are_shown_in_part_are_not_computed_twice)
{
    enum { READS = 400, STEPS = 5 };
    bench b = begin();
    zc_tensor *x = zc_keep(square_of(b.ctx)), *out = NULL;
    const double step = (double)cost_of(multiplied(x)).work;
    double work = 0;
    for (int read = 0; read < READS; read++) {
        for (int i = 0; i < STEPS; i++) { /* of which only the last has a handle */
            zc_scope *scope = zc_scope_begin(b.ctx);
            zc_tensor *next = zc_keep(multiplied(x));
            zc_scope_end(scope);
            zc_release(x);
            x = next;
        }
        zc_scope *scope = zc_scope_begin(b.ctx);
        const zc_tensor *shown = zc_slice(zc_index(x, 0, 0), 0, 0, 4, 1);
        work += (double)cost_of(shown).work;
        cr_assert_eq(zc_materialize(shown, &out), ZC_OK, "%s", zc_error_text(b.ctx));
        zc_scope_end(scope);
        cr_expect_lt(zc_memory_usage(b.ctx).held_bytes, 16 << 20);
    }
    const double once = (double)(READS * STEPS) * step;
    cr_expect_lt(work, 1.1 * once, "%g for %g", work, once);
    zc_release(x);
    finish(b);
}

/* Numbers that are in memory. */
static zc_tensor *table_of(zc_context *ctx, int64_t rows, int64_t columns)
{
    const zc_tensor *numbers = zc_sin(zc_astype(zc_iota(ctx, rows * columns), ZC_FLOAT64));
    return result_of(zc_reshape(numbers, ZC_SHAPE(rows, columns)));
}

/* The losses of a loop that are read after its end, each made of the weights of its step, are made of weights that were
 * computed for the loss before. */
Test(keeping_parts, histories_that_are_read_after_their_end_are_computed_once)
{
    enum { STEPS = 60, COLUMNS = 16 };
    bench b = begin();
    zc_scope *scope = zc_scope_begin(b.ctx);
    zc_tensor *x = table_of(b.ctx, 256, COLUMNS), *w = table_of(b.ctx, 1, COLUMNS), *loss[STEPS], *out = NULL;
    zc_tensor *weights = zc_keep(zc_reshape(w, ZC_SHAPE(COLUMNS)));
    const zc_tensor *wanted = zc_sum(x, ZC_AXES(1), false), *turned = zc_permute_dims(x, ZC_AXES(1, 0));
    for (int i = 0; i < STEPS; i++) {
        zc_scope *step = zc_scope_begin(b.ctx);
        const zc_tensor *residual = zc_subtract(zc_matmul(x, weights), wanted);
        loss[i] = zc_keep(zc_mean(zc_square(residual), ZC_ALL_AXES, false));
        const zc_tensor *change = zc_multiply(zc_matmul(turned, residual), zc_weak_float(b.ctx, 1e-3));
        zc_tensor *next = zc_keep(zc_subtract(weights, change));
        zc_release(weights);
        weights = next;
        zc_scope_end(step);
    }
    const double once = (double)cost_of(weights).work;
    double work = 0;
    cr_assert_eq(zc_materialize(weights, &out), ZC_OK, "%s", zc_error_text(b.ctx));
    for (int i = 0; i < STEPS; i++) {
        work += (double)cost_of(loss[i]).work;
        (void)number_of(b.ctx, loss[i]);
    }
    cr_expect_lt(work, 3 * once, "%g for %g", work, once);
    for (int i = 0; i < STEPS; i++)
        zc_release(loss[i]);
    zc_release(weights);
    zc_scope_end(scope);
    finish(b);
}

/* The product of a residual is there when its loss has been read, and is not computed again for the step. */
Test(keeping_parts, products_of_residuals_are_computed_once)
{
    enum { ROWS = 40000, COLUMNS = 8, STEPS = 50 };
    bench b = begin();
    const zc_tensor *x = table_of(b.ctx, ROWS, COLUMNS), *y = table_of(b.ctx, ROWS, 1);
    zc_tensor *weights = zc_keep(result_of(zc_full(b.ctx, ZC_SHAPE(COLUMNS, 1), ZC_FLOAT64, 0)));
    const double products = (double)cost_of(zc_matmul(x, weights)).work, least = 2 * products + 8 * ROWS;
    double work = 0;
    for (int i = 0; i < STEPS; i++) {
        zc_scope *scope = zc_scope_begin(b.ctx);
        zc_tensor *product = zc_matmul(x, weights), *residual = zc_subtract(product, y);
        zc_tensor *loss = zc_mean(zc_multiply(residual, residual), ZC_ALL_AXES, false);
        zc_release(product);
        work += (double)cost_of(loss).work;
        (void)number_of(b.ctx, loss);
        zc_tensor *gradient = zc_matmul(zc_matrix_transpose(x), residual);
        zc_tensor *moved = zc_subtract(weights, zc_multiply(gradient, zc_weak_float(b.ctx, 1e-6)));
        work += (double)cost_of(moved).work;
        zc_tensor *next = zc_keep(result_of(moved));
        zc_scope_end(scope);
        zc_release(weights);
        weights = next;
        cr_expect_lt(zc_memory_usage(b.ctx).held_bytes, (ROWS * COLUMNS + ROWS) * 8 + (10 << 20));
    }
    cr_expect_lt(work, 1.1 * STEPS * least, "%g for %g", work, STEPS * least);
    zc_release(weights);
    finish(b);
}

/* As Python does: what has no name has no handle when something is read. */
static zc_tensor *without(zc_tensor *result, zc_tensor *first, zc_tensor *second)
{
    zc_release(first);
    zc_release(second);
    return result;
}

static zc_tensor *residual_of(const zc_tensor *x, const zc_tensor *y, const zc_tensor *v)
{
    zc_tensor *product = zc_matmul(x, v);
    return without(zc_subtract(product, y), product, NULL);
}

/* Narrower than the product that it is made of. */
static zc_tensor *mask_of(const zc_tensor *x, const zc_tensor *y, const zc_tensor *v)
{
    zc_tensor *product = zc_matmul(x, v);
    return without(zc_greater(product, y), product, NULL);
}

/* Made of two products of its own size. */
static zc_tensor *difference_of(const zc_tensor *x, const zc_tensor *y, const zc_tensor *v)
{
    zc_tensor *product = zc_matmul(x, v), *other = zc_matmul(x, zc_sin(v)), *both = zc_subtract(product, other);
    return without(zc_add(without(both, product, other), y), both, NULL);
}

/* A list of what has been read in part holds no more than the list of an eager runtime. */
Test(keeping_parts, lists_of_residuals_and_masks_hold_no_more_than_their_elements)
{
    enum { ROWS = 40000, COLUMNS = 8, LISTED = 100 };
    static zc_tensor *(*const kinds[])(const zc_tensor *, const zc_tensor *, const zc_tensor *) = {residual_of, mask_of,
                                                                                                   difference_of};
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        bench b = begin();
        const zc_tensor *x = table_of(b.ctx, ROWS, COLUMNS), *y = table_of(b.ctx, ROWS, 1);
        zc_tensor *listed[LISTED];
        int64_t eager = (int64_t)(ROWS * COLUMNS + ROWS) * 8;
        for (int i = 0; i < LISTED; i++) {
            zc_scope *scope = zc_scope_begin(b.ctx);
            const zc_tensor *v = zc_full(b.ctx, ZC_SHAPE(COLUMNS, 1), ZC_FLOAT64, i);
            listed[i] = zc_keep(kinds[kind](x, y, v));
            (void)number_of(b.ctx, zc_astype(zc_sum(listed[i], ZC_ALL_AXES, false), ZC_FLOAT64));
            zc_scope_end(scope);
            eager += ROWS * (int64_t)zc_dtype_bytes(zc_dtype_of(listed[i]));
        }
        const int64_t held = zc_memory_usage(b.ctx).held_bytes;
        cr_expect_lt(held, eager + (10 << 20), "kind %zu: %lld, eagerly %lld", kind, (long long)held, (long long)eager);
        for (int i = 0; i < LISTED; i++)
            zc_release(listed[i]);
        finish(b);
    }
}

/* A list of small parts that nobody has read does not hold what they were taken of. */
Test(keeping_parts, parts_that_are_listed_hold_no_more_than_they_need)
{
    enum { STEPS = 200, LENGTH = 8000 };
    bench b = begin();
    zc_tensor *last[STEPS], *x = NULL;
    cr_assert_eq(zc_materialize(zc_astype(zc_iota(b.ctx, LENGTH), ZC_FLOAT64), &x), ZC_OK);
    for (int i = 0; i < STEPS; i++) {
        zc_scope *scope = zc_scope_begin(b.ctx);
        zc_tensor *sums = zc_cumulative_sum(zc_multiply(x, zc_weak_float(b.ctx, i)), 0, false);
        zc_tensor *one = zc_index(sums, 0, LENGTH - 1), *most = zc_max(sums, ZC_ALL_AXES, false);
        last[i] = zc_keep(zc_multiply(one, zc_weak_float(b.ctx, 2)));
        zc_release(one);
        zc_release(sums);
        (void)number_of(b.ctx, most);
        zc_scope_end(scope);
    }
    cr_expect_lt(zc_memory_usage(b.ctx).held_bytes, 20 * LENGTH * 8);
    for (int i = 0; i < STEPS; i++)
        zc_release(last[i]);
    finish(b);
}

/* The states of a loop, each made of the one before, that are read from the last to the first, or in another order:
 * each is computed three times at most. */
Test(keeping_parts, histories_that_are_read_backwards_are_computed_thrice)
{
    enum { STEPS = 90 };
    static const int strides[] = {-1, 7, -13};
    for (int order = 0; order < 3; order++) {
        bench b = begin();
        zc_tensor *state[STEPS + 1] = {zc_keep(square_of(b.ctx))};
        for (int i = 0; i < STEPS; i++) {
            zc_scope *step = zc_scope_begin(b.ctx);
            state[i + 1] = zc_keep(multiplied(state[i]));
            zc_scope_end(step);
        }
        const double once = (double)cost_of(state[STEPS]).work;
        double work = 0;
        for (int i = 0, at = STEPS - 1; i < STEPS; i++) {
            zc_scope *step = zc_scope_begin(b.ctx);
            const zc_tensor *shown = zc_sum(zc_index(state[at + 1], 0, 3), ZC_ALL_AXES, false);
            work += (double)cost_of(shown).work;
            (void)number_of(b.ctx, shown);
            zc_scope_end(step);
            at = ((at + strides[order]) % STEPS + STEPS) % STEPS;
        }
        cr_expect_lt(work, 3.2 * once, "order %d: %g for %g", order, work, once);
        for (int i = 0; i <= STEPS; i++)
            zc_release(state[i]);
        finish(b);
    }
}

/* An array that grows is joined once, whatever is asked for of it. */
Test(keeping_parts, small_arrays_that_grow_are_joined_whole)
{
    enum { LENGTH = 1000, STEPS = 20 };
    bench b = begin_with((zc_options){.threads = 1});
    zc_scope *scope = zc_scope_begin(b.ctx);
    zc_tensor *x = zc_keep(zc_astype(zc_iota(b.ctx, LENGTH), ZC_FLOAT64));
    for (int64_t i = 0; i < STEPS; i++) {
        const zc_tensor *one = OF(b.ctx, ZC_FLOAT64, 1), *both[] = {x, one};
        zc_tensor *longer = zc_keep(zc_concat(b.ctx, 2, both, 0));
        zc_release(x);
        x = longer;
        const zc_tensor *late = zc_slice(x, 0, LENGTH - 2, ZC_NONE, 1);
        cr_expect_eq(number_of(b.ctx, zc_sum(late, ZC_ALL_AXES, false)), 2 * LENGTH - 3 + i + 1);
        cr_expect_geq(zc_memory_usage(b.ctx).kept_bytes, (LENGTH + i + 1) * 8, "step %d", (int)i);
    }
    zc_release(x);
    zc_scope_end(scope);
    finish(b);
}

/* A small array that was assigned to is computed by the first run that reads of it, whatever is asked for; an update
 * that took nobody's place, and a large array, in part. */
Test(keeping_parts, small_arrays_that_were_assigned_to_are_computed_whole)
{
    enum { LARGE = 256 };
    for (int how = 0; how < 3; how++) {
        bench b = begin_with((zc_options){.threads = 1});
        const int64_t side = how == 2 ? LARGE : SIDE;
        zc_scope *scope = zc_scope_begin(b.ctx);
        zc_tensor *table = zc_reshape(zc_astype(zc_iota(b.ctx, side * side), ZC_FLOAT64), ZC_SHAPE(side, side));
        zc_tensor *x = NULL;
        cr_assert_eq(zc_materialize(table, &x), ZC_OK);
        x = zc_keep(x);
        const zc_tensor *places = zc_slice(zc_places(x), 0, 1, ZC_NONE, 1);
        const zc_tensor *values = zc_cumulative_sum(zc_slice(x, 0, 1, ZC_NONE, 1), 0, false);
        if (how == 1) {
            zc_release(x);
            x = zc_keep(zc_update(table, places, values, ZC_UPDATE_SET));
        } else
            cr_assert_eq(zc_assign(&x, places, values), ZC_OK, "%s", zc_error_text(b.ctx));
        const double column = number_of(b.ctx, zc_sum(zc_index(x, 1, 2), ZC_ALL_AXES, false));
        cr_expect_eq(zc_memory_usage(b.ctx).kept_bytes, how == 0 ? SIZE * 8 : 0, "%d", how);
        double wanted = 2, sum = 0;
        for (int64_t i = 1; i < side; i++) {
            sum += (double)(i * side + 2);
            wanted += sum;
        }
        cr_expect_eq(column, wanted, "%d: %g is not %g", how, column, wanted);
        cr_expect_eq(value_at(zc_index(x, 0, 1), 2), (double)(side + 2));
        zc_release(x);
        zc_scope_end(scope);
        finish(b);
    }
}

/* A small map that the program has, of what is to be computed, is computed by the first run that reads a part of it. A
 * temporary is not, nor a large map, nor one of what is in memory, nor one that is read within a scope. */
Test(keeping_parts, small_maps_with_handles_are_computed_whole)
{
    enum { HELD, RELEASED, TOO_LARGE, OF_MEMORY, IN_A_SCOPE, HOWS, LARGE = 256 };
    for (int how = 0; how < 2 * HOWS; how++) {
        const bool is_sum = how >= HOWS;
        const int kind = how % HOWS;
        zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
        const int64_t side = kind == TOO_LARGE ? LARGE : SIDE;
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *x = NULL, *out = NULL;
        cr_assert_eq(zc_materialize(zc_astype(zc_iota(ctx, side * side), ZC_FLOAT64), &x), ZC_OK);
        x = zc_reshape(x, ZC_SHAPE(side, side));
        zc_tensor *other = kind == OF_MEMORY ? x : zc_cumulative_sum(zc_multiply(x, zc_weak_int(ctx, 0)), 0, false);
        zc_tensor *sum = zc_keep(zc_add(zc_matrix_transpose(x), other)), *row = zc_index(sum, 0, 1);
        zc_tensor *read = zc_keep(is_sum ? zc_sum(row, ZC_ALL_AXES, false) : row);
        zc_scope_end(scope);
        if (kind == RELEASED)
            zc_release(sum);
        scope = kind == IN_A_SCOPE ? zc_scope_begin(ctx) : NULL;
        double wanted = 0;
        for (int64_t i = 0; i < (is_sum ? side : 1); i++)
            wanted += (double)(side * i + 1 + (kind == OF_MEMORY ? side + i : 0));
        cr_assert_eq(zc_materialize(read, &out), ZC_OK);
        cr_expect_eq(*(const double *)zc_data(out), wanted, "%d", how);
        cr_expect_eq(zc_memory_usage(ctx).kept_bytes, kind == HELD ? SIZE * 8 : 0, "%d", how);
        zc_release(zc_keep(out));
        zc_scope_end(scope);
        zc_release(read);
        if (kind != RELEASED)
            zc_release(sum);
        cr_expect_eq(zc_memory_usage(ctx).held_bytes, 0);
        zc_context_free(ctx);
    }
}

/* Plans of an array that the program has, and of one whose last handle is the view that is read, in turns. */
Test(keeping_parts, plans_do_not_depend_on_the_order_of_programs)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    for (int i = 0; i < 8; i++) {
        const bool is_held = i % 2 == 0;
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *x = square_of(ctx), *out = NULL;
        zc_tensor *sum = zc_keep(zc_add(x, zc_cumulative_sum(x, 0, false))), *read = zc_keep(zc_index(sum, 0, 3));
        zc_scope_end(scope);
        if (!is_held)
            zc_release(sum);
        cr_assert_eq(zc_materialize(read, &out), ZC_OK);
        cr_expect_eq(zc_memory_usage(ctx).kept_bytes, is_held ? SIZE * 8 : 0, "%d", i);
        zc_release(out);
        zc_release(read);
        if (is_held)
            zc_release(sum);
    }
    zc_context_free(ctx);
}
