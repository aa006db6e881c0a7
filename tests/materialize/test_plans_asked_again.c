/*
 * Which plans stay: those of a loop that asks for hundreds in turn, and few of those that are asked for once.
 */
#include "materialize/planner/plan_cache.h"
#include "tests/support/zc_test.h"

enum { SHAPES = 300, ONCE = 64, MANY = 20 * ONCE, ROOM = 64 << 10 };

static const double numbers[MANY] = {1, 2, 3};

/* The plan for twice a vector's elements and one, for vectors of so many; NULL where it is not kept. */
static const zc_plan *plan_for(zc_context *ctx, int64_t elements)
{
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *x = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(elements), numbers, (size_t)elements * sizeof *numbers);
    const zc_tensor *t = zc_add(zc_multiply(x, zc_weak_float(ctx, 2)), zc_weak_float(ctx, 1));
    const zc_plan_request request = {.count = 1, .tensors = &t, .function = "test", .buys = true};
    zc_plan *plan = NULL;
    cr_assert_eq(zc_plan_get(&request, &plan), ZC_OK, "%s", zc_error_text(ctx));
    const zc_plan *kept = plan->is_kept ? plan : NULL;
    zc_plan_put_back(plan);
    zc_scope_end(scope);
    return kept;
}

Test(plans_asked_again, of_a_loop_with_many_shapes_are_all_found)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    static const zc_plan *plan[SHAPES];
    int found = 0;
    for (int round = 0; round < 4; round++) {
        found = 0;
        for (int i = 0; i < SHAPES; i++) {
            const zc_plan *now = plan_for(ctx, i + 1);
            cr_assert_not_null(now);
            found += now == plan[i];
            plan[i] = now;
        }
    }
    cr_expect_geq(found, SHAPES - SHAPES / 16, "%d of %d", found, SHAPES); /* sets may overflow */
    zc_context_free(ctx);
}

Test(plans_asked_again, of_shapes_that_do_not_come_back_are_few)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    int64_t few = 0;
    for (int i = 0; i < MANY; i++) {
        (void)plan_for(ctx, i + 1);
        if (i == 2 * ONCE)
            few = zc_memory_usage(ctx).header_bytes;
    }
    cr_expect_leq(zc_memory_usage(ctx).header_bytes, few + ROOM);
    cr_expect_gt(few, 0);
    zc_context_free(ctx);
}

/* A context of few headers makes plans and keeps none. */
Test(plans_asked_again, need_room_for_their_list)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .header_limit = 1 << 16});
    cr_expect_null(plan_for(ctx, 5));
    cr_expect_null(plan_for(ctx, 5));
    zc_context_free(ctx);
}
