/*
 * Stages that are cut where the tensors of a concat meet: nothing of the concat is stored, the peak is that of the
 * result alone, and the bits are those of the reference executor and of plans that store the concat.
 */
#include "tests/materialize/grouped.h"

static int32_t count_cut(const zc_plan *plan)
{
    int32_t count = 0;
    for (int32_t s = 0; s < plan->stage_count; s++)
        count += plan->stages[s]->reason == ZC_STAGE_CUT;
    return count;
}

static zc_tensor *roll_by(const zc_tensor *x, int64_t shift, int axis)
{
    return zc_roll(x, 1, &shift, &axis);
}

/* The next state of a heat equation on a torus. */
static zc_tensor *heat(const zc_tensor *u)
{
    zc_tensor *around = NULL;
    for (int axis = 0; axis < zc_rank(u); axis++) {
        zc_tensor *both = zc_add(roll_by(u, 1, axis), roll_by(u, -1, axis));
        around = around == NULL ? both : zc_add(around, both);
    }
    return zc_add(u, zc_multiply(zc_subtract(around, zc_multiply(u, zc_weak_int(zc_context_of(u), 4))),
                                 zc_weak_float(zc_context_of(u), 0.125)));
}

/* Expects so many stages, so many of them cut, and bytes of data that are written to memory at once. */
static void expect_plan(const char *name, const zc_tensor *t, int32_t stages, int32_t cut, int64_t needed)
{
    zc_plan plan;
    zc_reason why;
    cr_assert_eq(zc_plan_of(t, &plan), ZC_OK, "%s", name);
    cr_expect_eq(zc_plan_verify(&plan, &why), ZC_OK, "%s: %s", name, why.text);
    cr_expect_eq(plan.stage_count, stages, "%s: %d stages", name, plan.stage_count);
    cr_expect_eq(count_cut(&plan), cut, "%s: %d cut", name, count_cut(&plan));
    cr_expect_eq(plan.needed_bytes, needed, "%s: %lld bytes", name, (long long)plan.needed_bytes);
    zc_plan_free(&plan);
}

Test(cut, concats_of_large_maps_are_not_stored)
{
    enum { ROWS = 240, COLUMNS = 100, BYTES = ROWS * COLUMNS * 8 };
    zc_context *ctx = context_of(BY_BYTES, 1);
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *x = rows_of(ctx, ZC_FLOAT64, ROWS, COLUMNS, 3), *y = rows_of(ctx, ZC_FLOAT64, ROWS, COLUMNS, 5);
    const zc_tensor *const both[] = {zc_slice(x, 0, 0, 50, 1), zc_slice(y, 0, 50, ROWS, 1)};
    const zc_tensor *const stripes[] = {zc_slice(x, 1, 0, 1, 1), zc_slice(y, 1, 1, COLUMNS, 1)};
    expect_plan("interior and borders of a torus", heat(x), 9, 9, BYTES);
    expect_plan("two steps", heat(heat(x)), 18, 18, 2 * BYTES);
    expect_plan("two tensors", zc_exp(zc_concat(ctx, 2, both, 0)), 2, 2, BYTES);
    expect_plan("computed tensors", zc_sqrt(zc_concat(ctx, 2, (const zc_tensor *const[]){zc_abs(x), zc_exp(y)}, 1)), 2,
                2, 2 * BYTES);
    expect_plan("a column beside others", zc_exp(zc_concat(ctx, 2, stripes, 1)), 2, 2, BYTES);
    expect_plan("a transposed one", zc_multiply(zc_matrix_transpose(roll_by(x, 7, 1)), zc_weak_int(ctx, 2)), 2, 2,
                BYTES);
    expect_plan("every other row", zc_negative(zc_slice(roll_by(x, 7, 0), 0, 1, ROWS, 2)), 2, 2, BYTES / 2);
    expect_plan("a sum of neighbors",
                zc_sum(zc_square(zc_add(roll_by(x, 1, 0), roll_by(x, -1, 0))), ZC_ALL_AXES, false), 4, 3, BYTES + 8);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* Stores what is small, what takes many sections, and what a sum reads, too. */
Test(cut, others_are_stored)
{
    enum { SIDE = 24, MANY = 40, ROWS = 500 };
    zc_context *ctx = context_of(BY_BYTES, 1);
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *small = rows_of(ctx, ZC_FLOAT64, SIDE, SIDE, 3), *parts[MANY];
    const zc_tensor *thin = rows_of(ctx, ZC_FLOAT64, 3 * ROWS, 3, 3),
                    *wide = rows_of(ctx, ZC_FLOAT64, ROWS, 3 * SIDE, 1);
    for (int i = 0; i < MANY; i++)
        parts[i] = zc_multiply(wide, zc_weak_int(ctx, i));
    const zc_tensor *turned = roll_by(wide, 1, 0), *line = zc_reshape(thin, ZC_SHAPE(-1));
    const struct {
        const char *name;
        const zc_tensor *t;
    } cases[] = {
        {"few elements", heat(small)},
        {"short lines", zc_exp(zc_broadcast_to(roll_by(thin, 1, 1), ZC_SHAPE(3, 3 * ROWS, 3)))},
        {"many tensors", zc_exp(zc_concat(ctx, MANY, parts, 0))},
        {"a sum of all", zc_sum(zc_square(turned), ZC_ALL_AXES, false)},
        {"a sum of many tensors", zc_sum(zc_exp(zc_concat(ctx, MANY, parts, 0)), ZC_ALL_AXES, false)},
        {"a sum of a product with itself", zc_sum(zc_multiply(turned, turned), ZC_ALL_AXES, false)},
        {"differences of all pairs",
         zc_sum(zc_square(zc_subtract(zc_expand_dims(roll_by(line, 1, 0), 1), zc_expand_dims(roll_by(line, 2, 0), 0))),
                ZC_ALL_AXES, false)},
        {"a variance", zc_var(turned, ZC_ALL_AXES, 0, false)},
        {"a sum", zc_sum(zc_exp(roll_by(wide, 1, 1)), ZC_AXES(1), false)},
        {"a sum beside a map", zc_subtract(turned, zc_mean(turned, ZC_AXES(1), true))},
        {"a product", zc_matmul(turned, zc_matrix_transpose(wide))},
        {"the concat itself", turned},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        zc_plan plan;
        cr_assert_eq(zc_plan_of(cases[i].t, &plan), ZC_OK, "%s", cases[i].name);
        cr_expect_eq(count_cut(&plan), 0, "%s", cases[i].name);
        zc_plan_free(&plan);
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* At most as many sections as there may be: then the next concat is stored for all of them. */
Test(cut, ends_at_a_number_of_sections)
{
    enum { LENGTH = 20000, MOST = 32 };
    zc_context *ctx = context_of(BY_BYTES, 1);
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *x = zc_reshape(rows_of(ctx, ZC_FLOAT64, LENGTH, 1, 3), ZC_SHAPE(LENGTH));
    for (int count = MOST - 2; count <= MOST + 1; count++) {
        zc_tensor *sum = zc_abs(x);
        zc_plan plan;
        for (int i = 1; i < count; i++)
            sum = zc_add(sum, roll_by(x, 300 * (int64_t)i, 0));
        cr_assert_eq(zc_plan_of(sum, &plan), ZC_OK);
        cr_expect_eq(count_cut(&plan), count <= MOST ? count : MOST, "%d tensors, %d sections", count,
                     count_cut(&plan));
        zc_plan_free(&plan);
        expect_same_bytes(compute(ctx, sum), compute(ctx, zc_copy(sum)), "rolls", count);
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
}

static zc_tensor *torus_sum(const zc_tensor *x)
{
    return zc_sum(zc_abs(x), ZC_ALL_AXES, false);
}

/* Sums of a map that is bought, or a result: concats are read by stages of its own, once. */
Test(cut, stores_a_map_that_is_needed_besides)
{
    enum { ROWS = 120, COLUMNS = 100, READS = 4 };
    zc_context *ctx = context_of(BY_BYTES, 1), *other = context_of(NO_GROUPS, 1);
    zc_scope *scope = zc_scope_begin(ctx), *outer = zc_scope_begin(other);
    const zc_tensor *x = rows_of(ctx, ZC_FLOAT64, ROWS, COLUMNS, 3), *y = rows_of(other, ZC_FLOAT64, ROWS, COLUMNS, 3);
    zc_tensor *sum = NULL, *wanted = NULL, *both[2];
    zc_tensor *map = zc_add(roll_by(x, 1, 0), roll_by(x, 2, 1));
    cr_assert_eq(zc_materialize(torus_sum(zc_copy(zc_add(roll_by(y, 1, 0), roll_by(y, 2, 1)))), &wanted), ZC_OK);
    for (int i = 0; i < READS; i++) {
        cr_assert_eq(zc_materialize(torus_sum(map), &sum), ZC_OK);
        expect_same_bytes(wanted, sum, "a map that is read again", i);
    }
    const zc_tensor *again = zc_add(roll_by(x, 1, 0), roll_by(x, 2, 1));
    cr_assert_eq(zc_materialize_all(2, (const zc_tensor *const[]){again, torus_sum(again)}, both), ZC_OK);
    expect_same_bytes(wanted, both[1], "a map that is a result", 0);
    zc_scope_end(outer);
    zc_scope_end(scope);
    zc_context_free(other);
    zc_context_free(ctx);
}

/* ---- Bits ---- */

enum { MOST_STEPS = 6, MOST_EXTENT = 7 };

typedef struct drawn_step {
    int kind, from, other, axis;
    int64_t number;
} drawn_step;

typedef struct drawn {
    int rank, count;
    int64_t shape[3];
    bool sums; /* the last one along its first axis */
    drawn_step steps[MOST_STEPS];
} drawn;

static drawn draw(void)
{
    drawn p = {.rank = (int)zc_random_range(1, 3), .count = (int)zc_random_range(1, MOST_STEPS)};
    p.sums = zc_random_bool();
    for (int a = 0; a < p.rank; a++)
        p.shape[a] = zc_random_range(1, MOST_EXTENT);
    for (int i = 0; i < p.count; i++)
        p.steps[i] = (drawn_step){.kind = (int)zc_random_range(0, 8),
                                  .from = (int)zc_random_range(i > 1 ? i - 2 : 0, i + 1),
                                  .other = (int)zc_random_range(0, i + 1),
                                  .axis = (int)zc_random_range(0, p.rank - 1),
                                  .number = zc_random_range(-3, 9)};
    return p;
}

/* One tensor of that shape, of slices of two others. */
static zc_tensor *join(const zc_tensor *a, const zc_tensor *b, int axis, int64_t number)
{
    const int64_t extent = zc_shape(a)[axis], at = (number + 3) % (extent + 1);
    const zc_tensor *const parts[] = {zc_slice(b, axis, at, extent, 1), zc_slice(a, axis, 0, at, 1)};
    return zc_concat(zc_context_of(a), 2, parts, axis);
}

/* Sums of neighbors along an axis, with zeros beyond its ends. */
static zc_tensor *add_neighbors(const zc_tensor *a, int axis)
{
    const int64_t extent = zc_shape(a)[axis];
    int64_t shape[3];
    for (int k = 0; k < zc_rank(a); k++)
        shape[k] = k == axis ? 1 : zc_shape(a)[k];
    const zc_tensor *zero = zc_full(zc_context_of(a), zc_rank(a), shape, ZC_FLOAT64, 0);
    const zc_tensor *const parts[] = {zero, zc_negative(a), zero};
    const zc_tensor *wide = zc_concat(zc_context_of(a), 3, parts, axis);
    return zc_add(zc_slice(wide, axis, 0, extent, 1), zc_slice(wide, axis, 2, extent + 2, 1));
}

static zc_tensor *take_step(const drawn_step *step, zc_tensor *const *made)
{
    zc_tensor *a = made[step->from], *b = made[step->other];
    switch (step->kind) {
    case 0:
        return zc_add(a, b);
    case 1:
        return zc_flip(a, 1, &step->axis);
    case 2:
        return zc_where(zc_less(a, b), a, roll_by(b, step->number, step->axis));
    case 3:
        return add_neighbors(a, step->axis);
    case 4:
        return zc_subtract(a, zc_sum(b, 1, &step->axis, true));
    case 5:
    case 6:
        return zc_maximum(join(a, b, step->axis, step->number), a);
    default:
        return zc_add(roll_by(a, step->number, step->axis), b);
    }
}

/* The last two results of a program, in a context of its own. */
static void run(const drawn *p, int64_t block_length, int threads, zc_executor executor, double *bits, int64_t *count)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = threads, .executor = executor});
    ctx->block_length = block_length;
    zc_scope *scope = zc_scope_begin(ctx);
    int64_t size = 1;
    for (int a = 0; a < p->rank; a++)
        size *= p->shape[a];
    zc_tensor *made[MOST_STEPS + 2] = {zc_reshape(rows_of(ctx, ZC_FLOAT64, size, 1, 3), p->rank, p->shape),
                                       zc_reshape(rows_of(ctx, ZC_FLOAT64, size, 1, 7), p->rank, p->shape)};
    for (int i = 0; i < p->count; i++)
        made[i + 2] = take_step(&p->steps[i], made);
    zc_tensor *asked[] = {made[p->count + 1], zc_flip(made[p->count], ZC_AXES(0))}, *out[2];
    if (p->sums) {
        asked[0] = made[p->count];
        asked[1] = zc_broadcast_to(zc_sum(zc_abs(made[p->count + 1]), ZC_AXES(0), true), p->rank, p->shape);
    }
    cr_assert_eq(zc_materialize_all(2, (const zc_tensor *const *)asked, out), ZC_OK, "%s", zc_error_text(ctx));
    for (int i = 0; i < 2; i++)
        memcpy(bits + i * size, zc_data(out[i]), (size_t)size * sizeof *bits);
    *count = 2 * size;
    zc_scope_end(scope);
    zc_context_free(ctx);
}

Test(cut, has_the_bits_of_the_reference)
{
    enum { PROGRAMS = 300, MOST = 2 * MOST_EXTENT * MOST_EXTENT * MOST_EXTENT };
    static double wanted[MOST], got[MOST];
    int64_t count;
    zc_random_begin("cut");
    for (int i = 0; i < zc_test_count(PROGRAMS); i++) {
        const drawn p = draw();
        run(&p, NO_GROUPS, 1, ZC_EXECUTOR_REFERENCE, wanted, &count);
        for (int k = 0; k < 2; k++) {
            run(&p, 1 + i % 4, 1 + 2 * k, ZC_EXECUTOR_TILE, got, &count);
            cr_assert_eq(memcmp(wanted, got, (size_t)count * sizeof *got), 0, "program %d", i);
        }
    }
}
