/* zc_replace_held: elements that were read of what was recorded, once that is computed, and gradients by them. */
#include "tests/api/values.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

static int64_t number_of(const zc_tensor *t)
{
    int64_t number = -1;
    zc_scope *scope = zc_scope_begin(zc_context_of(t));
    cr_assert_eq(zc_materialize_into(zc_astype(t, ZC_INT64), &number, sizeof number, NULL, 0), ZC_OK);
    zc_scope_end(scope);
    return number;
}

/* x as it was recorded, with an element that was read of it, and both computed. */
typedef struct settled {
    zc_tensor *x, *held, *copy;
} settled;

static settled settle(bench b, zc_dtype dtype)
{
    zc_tensor *x = numbers_in_memory(b, dtype, 10);
    const zc_tensor *one = zc_astype(zc_weak_bool(b.ctx, true), dtype);
    zc_tensor *recorded = zc_keep(zc_update(x, zc_index(zc_places(x), 0, 3), one, ZC_UPDATE_SET)), *out[2];
    settled s = {.held = zc_keep(zc_index(recorded, 0, 5))};
    const zc_tensor *const asked[] = {recorded, zc_copy(s.held)};
    cr_assert_eq(zc_materialize_all(2, asked, out), ZC_OK, "%s", zc_error_text(b.ctx));
    s.x = zc_keep(out[0]);
    s.copy = zc_keep(out[1]);
    zc_release(recorded);
    zc_release(x);
    return s;
}

static void end(settled s)
{
    zc_release(s.x);
    zc_release(s.held);
    zc_release(s.copy);
}

Test(replace_held, elements_are_replaced_that_nothing_else_reads)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *outer = zc_scope_begin(ctx);
    settled s = settle((bench){.ctx = ctx}, ZC_FLOAT64);
    const zc_tensor *was = s.held;
    cr_expect_eq(zc_replace_held(s.x, 1, (zc_tensor * *[]){&s.held}, &s.copy), 0, "a copy was recorded on it");
    zc_scope_end(outer);
    zc_scope *scope = zc_scope_begin(ctx);
    cr_expect_eq(s.held, was);
    cr_expect_eq(zc_replace_held(s.x, 1, (zc_tensor * *[]){&s.held}, &s.copy), 1);
    cr_expect_eq(s.held, s.copy);
    cr_expect_eq(zc_replace_held(s.x, 1, (zc_tensor * *[]){&s.held}, &s.copy), 0, "it is the copy");
    cr_expect_eq(number_of(s.held), 5);
    cr_expect_null(zc_grad(zc_sum(s.x, ZC_ALL_AXES, false), s.held), "x was read by what the copy stands for");
    zc_error_clear(ctx);
    cr_expect_eq(number_of(zc_grad(zc_square(s.held), s.held)), 10);
    zc_scope_end(scope);
    end(s);
    zc_context_free(ctx);
}

Test(replace_held, only_copies_replace_elements)
{
    bench b = begin();
    settled s = settle(b, ZC_INT64), other = settle(b, ZC_FLOAT64);
    zc_tensor *whole = zc_retain(s.x), *none = NULL;
    cr_expect_eq(zc_replace_held(NULL, 1, (zc_tensor * *[]){&s.held}, &s.copy), 0);
    cr_expect_eq(zc_replace_held(s.x, 1, NULL, &s.copy), 0);
    cr_expect_eq(zc_replace_held(s.x, 1, (zc_tensor * *[]){&s.held}, NULL), 0);
    cr_expect_eq(zc_replace_held(s.x, 1, (zc_tensor * *[]){&none}, &s.copy), 0);
    cr_expect_eq(zc_replace_held(s.x, 1, (zc_tensor * *[]){&s.held}, &none), 0);
    cr_expect_eq(zc_replace_held(s.x, 1, (zc_tensor * *[]){&s.held}, &other.copy), 0, "of another dtype");
    cr_expect_eq(zc_replace_held(s.x, 1, (zc_tensor * *[]){&s.held}, &whole), 0, "of more elements");
    cr_expect_eq(zc_replace_held(s.x, 1, (zc_tensor * *[]){&whole}, &s.copy), 0);
    zc_tensor *table = zc_keep(zc_reshape(s.copy, ZC_SHAPE(1, 1))), *lazy = zc_keep(zc_square(s.copy));
    zc_tensor **const nothing = NULL;
    cr_expect_eq(zc_replace_held(s.x, 1, &nothing, &s.copy), 0);
    cr_expect_eq(zc_replace_held(s.x, 1, (zc_tensor * *[]){&s.held}, &table), 0, "of another rank");
    cr_expect_eq(zc_replace_held(s.x, 1, (zc_tensor * *[]){&s.held}, &lazy), 0, "not in memory");
    zc_tensor *again = zc_retain(s.held);
    cr_expect_eq(zc_replace_held(s.x, 1, (zc_tensor * *[]){&s.held}, &s.copy), 0, "somebody else refers to it");
    zc_release(again);
    cr_expect_eq(zc_replace_held(s.x, 1, (zc_tensor * *[]){&s.held}, &s.copy), 1, "integers have no gradients");
    zc_release(table);
    zc_release(lazy);
    zc_release(whole);
    end(s);
    end(other);
    finish(b);
}

/* A node's element counts as what was computed from the node, as far as bits tell. */
Test(replace_held, replaced_elements_stand_for_their_node)
{
    int given = 0;
    for (int i = 0; i < 20; i++) {
        zc_context *ctx = zc_context_new(NULL);
        zc_scope *outer = zc_scope_begin(ctx);
        settled s = settle((bench){.ctx = ctx}, ZC_FLOAT64);
        for (int k = 0; k < i; k++) /* others have other serials */
            (void)zc_iota(ctx, 1 + k);
        zc_tensor *before = zc_keep(result_of(zc_square(s.held)));
        zc_tensor *besides = zc_keep(result_of(zc_square(zc_astype(zc_iota(ctx, 3 + i), ZC_FLOAT64))));
        zc_scope_end(outer);
        zc_scope *scope = zc_scope_begin(ctx);
        cr_assert_eq(zc_replace_held(s.x, 1, (zc_tensor * *[]){&s.held}, &s.copy), 1);
        cr_expect_null(zc_grad(sum_of_all(before), s.held), "%d", i);
        given += zc_grad(sum_of_all(zc_multiply(besides, s.held)), s.held) != NULL;
        zc_scope_end(scope);
        zc_release(before);
        zc_release(besides);
        end(s);
        zc_context_free(ctx);
    }
    cr_expect_geq(given, 15);
}

/* Two that were read of one node are replaced together, and the later one is made of the other. */
Test(replace_held, replaces_all_that_were_read_of_a_node)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *outer = zc_scope_begin(ctx);
    zc_tensor *x = numbers_in_memory((bench){.ctx = ctx}, ZC_FLOAT64, 10), *out[3];
    zc_tensor *recorded = zc_keep(zc_update(x, zc_index(zc_places(x), 0, 3), zc_weak_float(ctx, 1), ZC_UPDATE_SET));
    zc_tensor *held[] = {zc_keep(zc_index(recorded, 0, 5)), zc_keep(zc_index(recorded, 0, 5))};
    const zc_tensor *const asked[] = {recorded, zc_copy(held[0]), zc_copy(held[1])};
    cr_assert_eq(zc_materialize_all(3, asked, out), ZC_OK, "%s", zc_error_text(ctx));
    for (int i = 0; i < 3; i++)
        (void)zc_keep(out[i]);
    zc_release(recorded);
    zc_release(x);
    zc_scope_end(outer);
    zc_scope *scope = zc_scope_begin(ctx);
    cr_expect_eq(zc_replace_held(out[0], 1, (zc_tensor * *[]){&held[0]}, &out[1]), 0, "the other one is not told of");
    cr_expect_eq(zc_replace_held(out[0], 2, (zc_tensor * *[]){&held[0], &held[1]}, &out[1]), 2);
    cr_expect_null(zc_grad(zc_square(held[1]), held[0]));
    zc_error_clear(ctx);
    cr_expect_eq(number_of(zc_grad(zc_square(held[1]), held[1])), 10);
    zc_scope_end(scope);
    for (int i = 0; i < 3; i++)
        zc_release(out[i]);
    zc_release(held[0]);
    zc_release(held[1]);
    zc_context_free(ctx);
}

/* Lists may have gaps, also beside an element of floats, which is looked for in all of the list. */
Test(replace_held, lists_may_have_gaps)
{
    zc_context *ctx = zc_context_new(NULL), *other = zc_context_new(NULL);
    zc_scope *outer = zc_scope_begin(ctx);
    settled s = settle((bench){.ctx = ctx}, ZC_FLOAT64);
    zc_tensor *none = NULL, *copies[] = {NULL, NULL, s.copy, NULL};
    zc_tensor **const held[] = {NULL, &none, &s.held, &s.x};
    zc_scope_end(outer);
    zc_tensor *again = zc_retain(s.held);
    cr_expect_eq(zc_replace_held(s.x, 4, held, copies), 0, "somebody else refers to it");
    zc_release(again);
    zc_tensor *seen = zc_keep(zc_adopt(other, s.copy));
    cr_expect_eq(zc_replace_held(s.x, 4, held, copies), 0, "contexts share tensors");
    zc_release(seen);
    end(s);
    zc_context_free(other);
    zc_context_free(ctx);
    ctx = zc_context_new(NULL);
    outer = zc_scope_begin(ctx);
    s = settle((bench){.ctx = ctx}, ZC_FLOAT64);
    zc_scope_end(outer);
    copies[2] = s.copy;
    cr_expect_eq(zc_replace_held(s.x, 4, (zc_tensor * *[]){NULL, &none, &s.held, &s.x}, copies), 1);
    end(s);
    zc_context_free(ctx);
}

/* Nothing is replaced where a variable would lose its gradient, of what is not in memory, and by another context's. */
Test(replace_held, leaves_what_is_made_of_variables)
{
    bench b = begin(), others = begin();
    settled s = settle(b, ZC_FLOAT64), other = settle(others, ZC_FLOAT64);
    zc_tensor *lazy = zc_keep(zc_square(s.x)), *variable = zc_keep(zc_variable(s.copy));
    zc_tensor *of_variable = zc_keep(result_of(zc_multiply(variable, s.copy)));
    cr_expect_eq(zc_replace_held(lazy, 1, (zc_tensor * *[]){&s.held}, &s.copy), 0, "not in memory");
    cr_expect_eq(zc_replace_held(s.x, 1, (zc_tensor * *[]){&s.held}, &other.copy), 0, "of another context");
    cr_expect_eq(zc_replace_held(s.x, 1, (zc_tensor * *[]){&s.held}, &variable), 0, "a variable");
    cr_expect_eq(zc_replace_held(variable, 1, (zc_tensor * *[]){&s.held}, &s.copy), 0, "of a variable");
    cr_expect_eq(zc_replace_held(of_variable, 1, (zc_tensor * *[]){&s.held}, &s.copy), 0, "made of a variable");
    zc_release(lazy);
    zc_release(variable);
    zc_release(of_variable);
    end(s);
    end(other);
    finish(others);
    finish(b);
}
