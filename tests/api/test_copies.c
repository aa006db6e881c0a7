/* zc_copy gives memory of its own: whatever is copied, and whichever way the copy is computed and seen. */
#include <stdio.h>
#include <string.h>

#include "tests/api/values.h"

static zc_tensor *same(const zc_tensor *t)
{
    return zc_slice(t, 0, ZC_NONE, ZC_NONE, 1);
}

static zc_tensor *window(const zc_tensor *t)
{
    return zc_slice(t, 0, 1, 3, 1);
}

static zc_tensor *backwards(const zc_tensor *t)
{
    return zc_flip(t, ZC_ALL_AXES);
}

static zc_tensor *turned(const zc_tensor *t)
{
    return zc_swapaxes(t, 0, -1);
}

static zc_tensor *repeated(const zc_tensor *t)
{
    return zc_broadcast_to(t, ZC_SHAPE(2, 4, 6));
}

static zc_tensor *flat(const zc_tensor *t)
{
    return zc_reshape(t, ZC_SHAPE(-1));
}

static zc_tensor *row(const zc_tensor *t)
{
    return zc_index(t, 0, 2);
}

typedef zc_tensor *(*view)(const zc_tensor *t);

static const view views[] = {same, window, backwards, turned, repeated, flat, row};

enum { VIEWS = sizeof views / sizeof *views, SOURCES = 9 };

/* Tensors of shape (4, 6): over foreign memory, constant, counted, computed, joined, summed, scanned, taken, copied. */
static zc_tensor *source(zc_context *ctx, int k, const double *memory)
{
    zc_tensor *x = zc_import(ctx, ZC_FLOAT64, ZC_SHAPE(4, 6), NULL, 0, memory, 24 * sizeof *memory, NULL, NULL);
    switch (k) {
    case 0:
        return x;
    case 1:
        return zc_full(ctx, ZC_SHAPE(4, 6), ZC_FLOAT64, 3);
    case 2:
        return zc_astype(zc_reshape(zc_iota(ctx, 24), ZC_SHAPE(4, 6)), ZC_FLOAT64);
    case 3:
        return zc_add(x, x);
    case 4:
        return zc_concat(ctx, 2, (const zc_tensor *const[]){window(x), window(x)}, 0);
    case 5:
        return zc_sum(zc_broadcast_to(x, ZC_SHAPE(3, 4, 6)), ZC_AXES(0), false);
    case 6:
        return zc_cumulative_sum(x, 1, false);
    case 7:
        return zc_take(x, zc_iota(ctx, 4), 0);
    default:
        return zc_copy(x);
    }
}

/* The bytes from the lowest to the highest element. */
static void reach(const zc_tensor *t, const char **first, const char **end)
{
    int64_t low = 0, high = 0;
    for (int a = 0; a < zc_rank(t); a++) {
        int64_t step = (zc_shape(t)[a] - 1) * zc_strides(t)[a];
        low += step < 0 ? step : 0;
        high += step > 0 ? step : 0;
    }
    *first = (const char *)zc_data(t) + low * (int64_t)sizeof(double);
    *end = (const char *)zc_data(t) + (high + 1) * (int64_t)sizeof(double);
}

static void expect_apart(const zc_tensor *a, const zc_tensor *b, const char *what)
{
    const char *first_a, *end_a, *first_b, *end_b;
    reach(a, &first_a, &end_a);
    reach(b, &first_b, &end_b);
    cr_expect(end_a <= first_b || end_b <= first_a, "%s share memory", what);
}

static zc_tensor *computed(const zc_tensor *t, bool compact)
{
    zc_tensor *out = NULL;
    cr_assert_eq(compact ? zc_compact(t, &out) : zc_materialize(t, &out), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    return out;
}

/* The copy of a view of the source, and a view of that; the source is computed before the copy, or after it. */
static void check(int k, view inner, view outer, int way)
{
    static double memory[24];
    char what[96];
    bench b = begin();
    for (int i = 0; i < 24; i++)
        memory[i] = i;
    bool compact = (way & 1) != 0, before = (way & 2) != 0;
    zc_tensor *from = source(b.ctx, k, memory), *dense = before ? computed(from, false) : NULL;
    zc_tensor *seen = inner(from), *copy = zc_copy(seen), *shown = outer(copy);
    if (shown == NULL) { /* a view of another rank */
        zc_error_clear(b.ctx);
        finish(b);
        return;
    }
    zc_tensor *own = computed(shown, compact), *whole = computed(copy, compact), *again = zc_copy(whole);
    zc_tensor *twice = computed(again, compact), *expected = computed(outer(seen), false);
    dense = before ? dense : computed(from, false);
    (void)snprintf(what, sizeof what, "source %d and its copy, computed way %d", k, way);
    expect_apart(dense, whole, what);
    expect_apart(dense, own, what);
    expect_apart(computed(seen, compact), whole, what);
    (void)snprintf(what, sizeof what, "a copy of source %d and its copy, computed way %d", k, way);
    expect_apart(whole, twice, what);
    memset(memory, 0, k == 0 ? 0 : sizeof memory); /* what was computed reads nothing any more */
    for (int64_t i = 0; i < zc_size(own); i++)
        cr_assert_eq(value_at(own, i), value_at(expected, i), "%s: element %d", what, (int)i);
    finish(b);
}

Test(copies, have_memory_of_their_own)
{
    for (int k = 0; k < SOURCES; k++)
        for (int inner = 0; inner < VIEWS; inner++)
            for (int outer = 0; outer < VIEWS; outer++)
                for (int way = 0; way < 4; way++)
                    check(k, views[inner], views[outer], way);
}

/* Foreign memory may change once the copy is computed. */
Test(copies, stay_when_what_was_copied_changes)
{
    static double memory[24] = {1, 2, 3};
    bench b = begin();
    zc_tensor *x = source(b.ctx, 0, memory), *copy = zc_copy(x), *compact = NULL, *out = NULL;
    cr_assert_eq(zc_materialize(copy, &out), ZC_OK);
    cr_assert_eq(zc_compact(zc_copy(zc_broadcast_to(x, ZC_SHAPE(5, 4, 6))), &compact), ZC_OK);
    memory[1] = 7;
    cr_expect_eq(value_at(out, 1), 2);
    cr_expect_eq(value_at(copy, 1), 2, "the copy's own handle reads what it copied");
    cr_expect_eq(value_at(compact, 1), 2);
    cr_expect_eq(value_at(x, 1), 7);
    finish(b);
}

/* Inside a larger expression too: 96 bytes for the copy, 32 for the result. What is itself asked for is copied once. */
Test(copies, are_stored_before_they_are_used)
{
    bench b = begin();
    zc_tensor *x = zc_astype(zc_reshape(zc_iota(b.ctx, 12), ZC_SHAPE(3, 4)), ZC_FLOAT64);
    zc_tensor *copy = zc_copy(zc_matrix_transpose(x)), *sum = zc_sum(zc_square(copy), ZC_AXES(1), false);
    char *text = NULL;
    cr_assert_eq(zc_explain(sum, ZC_TEXT, &text), ZC_OK);
    cr_expect_not_null(strstr(text, "copy: "), "%s", text);
    zc_text_free(b.ctx, text);
    cr_expect_eq(cost_of(sum).written_bytes, 96 + 32);
    cr_expect_eq(cost_of(zc_sum(zc_square(zc_matrix_transpose(x)), ZC_AXES(1), false)).written_bytes, 32);
    cr_expect_eq(cost_of(copy).written_bytes, 96);
    cr_expect_eq(cost_of(zc_flip(copy, ZC_AXES(0))).written_bytes, 96);
    cr_expect_eq(cost_of(zc_concat(b.ctx, TENSORS(copy, copy), 0)).written_bytes, 192);
    cr_expect_eq(cost_of(zc_add(zc_index(copy, 0, 1), zc_index(copy, 0, 2))).written_bytes, 2 * 24 + 24,
                 "of the rows that are used");
    EXPECT(sum, 80, 107, 140, 179);
    finish(b);
}

/* A copy that is seen three times by one stage, whose axes are split for the second view and not for the third: what
 * the first one shows is found after the split, too. */
Test(copies, what_is_seen_before_axes_are_split_is_found_afterwards)
{
    bench b = begin();
    zc_tensor *out = NULL, *rows = zc_reshape(zc_swapaxes(count_to(b, ZC_SHAPE(10, 60)), 0, 1), ZC_SHAPE(600));
    zc_tensor *sum =
        zc_add(zc_slice(rows, 0, 5, 25, 1), zc_add(zc_slice(rows, 0, 0, 20, 1), zc_slice(rows, 0, 400, 600, 10)));
    cr_assert_eq(zc_materialize(sum, &out), ZC_OK, "%s", zc_error_text(b.ctx));
    for (int i = 0; i < 20; i++) {
        int at[] = {5 + i, i, 400 + 10 * i};
        double expected = 0;
        for (int k = 0; k < 3; k++)
            expected += at[k] % 10 * 60 + at[k] / 10;
        cr_assert_eq(value_at(out, i), expected, "element %d", i);
    }
    finish(b);
}
