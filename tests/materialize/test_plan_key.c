/* Keys of plans: takes and updates that differ in one thing have different ones, and equal ones have equal keys. */
#include <stdlib.h>
#include <string.h>

#include "materialize/planner/plan_key.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

static zc_tensor *table(zc_context *ctx)
{
    static const float zeros[36];
    return zc_from_data(ctx, ZC_FLOAT32, ZC_SHAPE(6, 6), zeros, sizeof zeros);
}

static zc_tensor *three(zc_context *ctx)
{
    static const int64_t at[3] = {0, 1, 2};
    return zc_from_data(ctx, ZC_INT64, ZC_SHAPE(3), at, sizeof at);
}

static zc_tensor *gathered(const zc_tensor *t, int axis, int other, const zc_tensor *p)
{
    return zc_gather(t, 2, (const int[]){axis, other}, (const zc_tensor *const[]){p, p});
}

/* A take that differs from the first one in its kind, its axes, its extent, or what it is taken of. */
static zc_tensor *make_take(zc_context *ctx, int which)
{
    zc_tensor *x = table(ctx), *p = three(ctx);
    switch (which) {
    case 0:
        return zc_take(x, p, 0);
    case 1:
        return zc_take(x, p, 1);
    case 2:
        return zc_gather(x, 1, (const int[]){0}, (const zc_tensor *const[]){p});
    case 3:
        return zc_take(zc_slice(x, 0, 0, 5, 1), p, 0);
    case 4:
        return zc_take(zc_slice(x, 0, 1, 5, 1), p, 0);
    case 5:
        return zc_take(zc_flip(x, 1, (const int[]){0}), p, 0);
    case 6:
        return zc_take(x, zc_flip(p, 1, (const int[]){0}), 0);
    case 7:
        return gathered(x, 0, 1, p);
    case 8:
        return gathered(zc_matrix_transpose(x), 0, 1, p);
    case 9:
        return gathered(x, 1, 0, p); /* only names of axes differ from the one before */
    default:
        return zc_take(zc_negative(x), p, 0);
    }
}

enum { TAKES = 11 };

/* An update likewise: what is done, where, to what, by how many values. */
static zc_tensor *make_update(zc_context *ctx, int which)
{
    zc_tensor *x = table(ctx), *p = three(ctx), *one = zc_weak_int(ctx, 1), *all = zc_places(x);
    switch (which) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
        return zc_update(x, zc_take(all, p, 0), one, (zc_update_op)which);
    case 5:
        return zc_update(x, zc_take(all, p, 1), one, ZC_UPDATE_SET);
    case 6:
        return zc_update(x, zc_slice(all, 0, 0, 3, 1), one, ZC_UPDATE_SET);
    case 7:
        return zc_update(x, zc_slice(all, 0, 1, 4, 1), one, ZC_UPDATE_SET);
    case 8:
        return zc_update(x, zc_slice(all, 0, 0, 6, 2), one, ZC_UPDATE_SET);
    case 9:
        return zc_update(x, zc_slice(all, 1, 0, 3, 1), one, ZC_UPDATE_SET);
    case 10:
        return zc_update(zc_matrix_transpose(x), zc_slice(all, 0, 0, 3, 1), one, ZC_UPDATE_SET);
    case 11:
        return zc_update(x, gathered(all, 0, 1, p), one, ZC_UPDATE_SET);
    case 12:
        return zc_update(x, gathered(all, 1, 0, p), one, ZC_UPDATE_SET);
    case 13:
        return zc_update(x, p, one, ZC_UPDATE_SET);
    case 14:
        return zc_update(x, zc_slice(all, 0, 0, 3, 1), zc_slice(x, 0, 0, 3, 1), ZC_UPDATE_SET);
    case 15:
        return zc_grad(zc_take(x, p, 0), x); /* no base */
    case 16:
        return zc_grad(zc_gather(x, 1, (const int[]){0}, (const zc_tensor *const[]){p}), x);
    default:
        return zc_update(x, zc_slice(all, 0, 3, 0, -1), one, ZC_UPDATE_SET);
    }
}

enum { UPDATES = 18 };

static void check_all(zc_tensor *(*make)(zc_context *, int), int count)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_plan_key *keys = calloc((size_t)count + 1, sizeof *keys), *again = &keys[count];
    for (int i = 0; i < count; i++) {
        zc_tensor *t = make(ctx, i);
        cr_assert_not_null(t, "%d: %s", i, zc_error_text(ctx));
        cr_assert(zc_plan_key_make(&(zc_plan_request){.count = 1, .tensors = (const zc_tensor *[]){t}}, &keys[i]),
                  "%d has no key", i);
        cr_assert(
            zc_plan_key_make(&(zc_plan_request){.count = 1, .tensors = (const zc_tensor *[]){make(ctx, i)}}, again));
        cr_assert_eq(keys[i].word_count, again->word_count);
        cr_assert_eq(memcmp(keys[i].words, again->words, (size_t)again->word_count * sizeof(int64_t)), 0, "%d", i);
        for (int j = 0; j < i; j++) {
            bool is_same = keys[i].word_count == keys[j].word_count &&
                           memcmp(keys[i].words, keys[j].words, (size_t)keys[i].word_count * sizeof(int64_t)) == 0;
            cr_assert(!is_same, "%d and %d", i, j);
        }
        zc_plan_key_free(again);
    }
    for (int i = 0; i < count; i++)
        zc_plan_key_free(&keys[i]);
    free(keys);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

Test(plan_key, holds_every_field_of_takes)
{
    check_all(make_take, TAKES);
}

Test(plan_key, holds_every_field_of_updates)
{
    check_all(make_update, UPDATES);
}
