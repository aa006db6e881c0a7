/*
 * Plans that are asked for while another like them runs.
 */
#include "materialize/planner/plan_cache.h"
#include "tests/support/zc_test.h"

/* A release function that computes what is being computed, with other numbers. */
typedef struct nested {
    zc_context *ctx;
    int depth;
    bool trims;
    float lent[4][2][6];
} nested;

static void compute_nested(nested *n);

static void compute_again(void *user, void *memory)
{
    nested *n = user;
    (void)memory;
    if (++n->depth < 4)
        compute_nested(n);
    if (n->trims)
        zc_context_trim(n->ctx);
}

/* Computes two sums of memory that ends with its nodes, numbers of which grow with the depth. */
static void compute_nested(nested *n)
{
    zc_tensor *t[2], *out[2];
    const int depth = n->depth;
    for (int k = 0; k < 2; k++) {
        float *memory = n->lent[depth][k];
        for (int i = 0; i < 6; i++)
            memory[i] = (float)(i + 10 * depth + 100 * k);
        zc_tensor *x =
            zc_import(n->ctx, ZC_FLOAT32, ZC_SHAPE(6), NULL, 0, memory, sizeof n->lent[0][0], compute_again, n);
        t[k] = zc_add(x, x);
        zc_release(x);
    }
    cr_assert_eq(zc_materialize_all(2, (const zc_tensor *const *)t, out), ZC_OK);
    for (int k = 0; k < 2; k++) {
        cr_assert_eq(((const float *)zc_data(out[k]))[5], (float)(2 * (5 + 10 * depth + 100 * k)));
        zc_release(t[k]);
        zc_release(out[k]);
    }
}

Test(plan_nested, gives_a_plan_to_one_caller_at_a_time)
{
    for (int trims = 0; trims < 2; trims++) {
        zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
        for (int round = 0; round < 3; round++) {
            nested n = {.ctx = ctx, .trims = trims != 0};
            compute_nested(&n);
            cr_assert_geq(n.depth, 4, "release functions were called");
        }
        zc_context_free(ctx);
    }
}

Test(plan_nested, keeps_what_is_given_back_while_another_like_it_runs)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    static const float number = 1;
    const zc_tensor *t = zc_negative(zc_from_data(ctx, ZC_FLOAT32, ZC_SCALAR_SHAPE, &number, sizeof number));
    const zc_plan_request request = {.count = 1, .tensors = &t, .function = "test", .buys = true};
    zc_plan *first = NULL, *second = NULL, *third = NULL;
    cr_assert_eq(zc_plan_get(&request, &first), ZC_OK);
    zc_plan_put_back(first);
    const int64_t of_one = zc_memory_usage(ctx).header_bytes;
    cr_assert_eq(zc_plan_get(&request, &first), ZC_OK);
    cr_assert_eq(zc_plan_get(&request, &second), ZC_OK);
    cr_assert_neq(first, second);
    zc_plan_put_back(second);
    cr_assert_eq(zc_plan_get(&request, &third), ZC_OK);
    cr_assert_eq(third, second);
    zc_plan_put_back(first);
    zc_plan_put_back(third);
    cr_assert_eq(zc_memory_usage(ctx).header_bytes, of_one, "one is in the place of its equal");
    zc_context_trim(ctx);
    cr_assert_eq(zc_plan_get(&request, &first), ZC_OK);
    zc_context_trim(ctx);
    zc_plan_put_back(first); /* which keeps it: nothing of it was trimmed */
    cr_assert_eq(zc_plan_get(&request, &second), ZC_OK);
    zc_plan_put_back(second);
    zc_scope_end(scope);
    zc_context_free(ctx);
}
