/*
 * Composition against brute force.
 *
 * Formula: compose(inner, outer)[i] = inner[outer[i]], and it is refused exactly when no strides give that. Here both
 * are strided at will, far wilder than chains of operations make them, so that carries of every kind occur.
 */
#include "views/compose.h"

#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "tests/views/oracle.h"

#include <string.h>

enum { PAIRS = 60000, RANK = 5, MOST = 400 };

/* A view given by hand over a storage just large enough. */
typedef struct strided {
    int rank;
    int64_t shape[RANK];
    int64_t stride[RANK];
    int64_t offset;
} strided;

static void show(const strided *s, zc_view *view, oracle *elements)
{
    oracle_strided(elements, s->rank, s->shape, s->stride, s->offset);
    int64_t highest = 0;
    for (int64_t k = 0; k < elements->count; k++)
        highest = elements->element[k] > highest ? elements->element[k] : highest;
    cr_assert_eq(zc_view_prove(s->rank, s->shape, s->stride, s->offset, highest + 1, view, NULL), ZC_OK);
}

/* Composes, and holds the verdict and the elements against brute force. */
static bool check(const strided *a, const strided *b, bool *affine)
{
    zc_view inner;
    zc_view outer;
    zc_view composed;
    oracle inner_elements;
    oracle elements;
    show(a, &inner, &inner_elements);
    show(b, &outer, &elements);
    oracle_compose(&inner_elements, &elements);
    *affine = oracle_is_affine(&elements);
    bool done = zc_view_compose(&inner, &outer, &composed);
    cr_assert(!done || oracle_agrees(&elements, &composed), "the composition shows other elements");
    oracle_free(&inner_elements);
    oracle_free(&elements);
    return done;
}

static int64_t size_of(const strided *s)
{
    return (int64_t)oracle_size(s->rank, s->shape);
}

/* Small extents, and strides of any sign that may continue each other, repeat, overlap. */
static void draw_inner(strided *s)
{
    int64_t continued = 1;
    s->rank = (int)zc_random_range(0, RANK);
    s->offset = 0;
    for (int a = s->rank - 1; a >= 0; a--) {
        s->shape[a] = zc_random_range(1, 5);
        s->stride[a] = zc_random_range(0, 2) > 0 ? continued : zc_random_range(-4, 8);
        continued = s->stride[a] * s->shape[a];
        if (s->stride[a] < 0)
            s->offset -= (s->shape[a] - 1) * s->stride[a];
    }
}

/* Any view of a storage of `size` elements: axes are added while they stay inside. */
static void draw_outer(int64_t size, strided *s)
{
    int64_t low;
    int64_t high;
    low = high = s->offset = zc_random_range(0, size - 1);
    s->rank = 0;
    for (int tries = 0; tries < 6 && s->rank < RANK; tries++) {
        int64_t extent = zc_random_range(1, zc_random_range(0, 3) > 0 ? 3 : 8);
        int64_t stride = zc_random_range(-size / 2, size / 2) / zc_random_range(1, 6);
        int64_t reach = (extent - 1) * stride;
        if (low + reach < 0 || high + reach >= size || size_of(s) * extent > MOST)
            continue;
        low += reach < 0 ? reach : 0;
        high += reach < 0 ? 0 : reach;
        s->shape[s->rank] = extent;
        s->stride[s->rank++] = stride;
    }
}

Test(compose, random_views_compose_exactly_when_strides_exist)
{
    zc_random_begin("random views");
    int count = PAIRS * zc_test_scale();
    int cuts = 0;
    int refused = 0;
    for (int i = 0; i < count; i++) {
        strided inner;
        strided outer;
        bool affine;
        draw_inner(&inner);
        draw_outer(size_of(&inner), &outer);
        bool done = check(&inner, &outer, &affine);
        cuts += !affine;
        refused += affine && !done;
        cr_assert(affine || !done, "composed what no strides express");
    }
    cr_log_info("of %d compositions %d are not affine, %d are affine and refused", count, cuts, refused);
    cr_assert_eq(refused, 0);
}

/* One pair: whether they compose, and to which view. */
static bool compose(const strided *a, const strided *b, zc_view *composed)
{
    zc_view inner;
    zc_view outer;
    cr_assert_eq(zc_view_prove(a->rank, a->shape, a->stride, a->offset, INT64_MAX, &inner, NULL), ZC_OK);
    cr_assert_eq(zc_view_prove(b->rank, b->shape, b->stride, b->offset, zc_view_size(&inner), &outer, NULL), ZC_OK);
    return zc_view_compose(&inner, &outer, composed);
}

static void expect_strides(const strided *a, const strided *b, const int64_t *stride, int64_t offset)
{
    zc_view composed;
    bool done = compose(a, b, &composed);
    cr_expect(done);
    if (!done)
        return;
    cr_expect(zc_shape_equal(composed.rank, composed.shape, b->rank, b->shape));
    cr_expect(zc_shape_equal(composed.rank, composed.stride, b->rank, stride));
    cr_expect_eq(composed.offset, offset);
}

static const strided transposed = {.rank = 2, .shape = {4, 6}, .stride = {1, 4}};
static const strided rows = {.rank = 2, .shape = {4, 6}, .stride = {0, 1}};

Test(compose, flips_and_diagonals_of_a_transpose)
{
    const strided flipped = {.rank = 2, .shape = {4, 6}, .stride = {-6, -1}, .offset = 23};
    expect_strides(&transposed, &flipped, (int64_t[]){-1, -4}, 23);
    const strided diagonal = {.rank = 1, .shape = {4}, .stride = {7}};
    expect_strides(&transposed, &diagonal, (int64_t[]){5}, 0);
    const strided anti_diagonal = {.rank = 1, .shape = {4}, .stride = {5}, .offset = 5};
    expect_strides(&transposed, &anti_diagonal, (int64_t[]){-3}, 20);
}

Test(compose, the_identity_changes_nothing)
{
    const strided identity = {.rank = 2, .shape = {4, 6}, .stride = {6, 1}};
    expect_strides(&transposed, &identity, transposed.stride, 0);
    expect_strides(&rows, &identity, rows.stride, 0);
}

Test(compose, anything_over_a_dense_view_is_shifted)
{
    const strided dense = {.rank = 3, .shape = {2, 3, 4}, .stride = {12, 4, 1}, .offset = 100};
    const strided any = {.rank = 3, .shape = {2, 3, 5}, .stride = {7, 0, -2}, .offset = 9};
    expect_strides(&dense, &any, any.stride, 109);
}

Test(compose, one_element_is_repeated_anyhow)
{
    const strided one = {.rank = 3, .shape = {1, 5, 4}, .stride = {0, 0, 0}, .offset = 7};
    const strided any = {.rank = 2, .shape = {3, 4}, .stride = {3, -1}, .offset = 6};
    expect_strides(&one, &any, (int64_t[]){0, 0}, 7);
}

Test(compose, a_flattened_broadcast_is_not_affine)
{
    zc_view composed;
    const strided flat = {.rank = 1, .shape = {24}, .stride = {1}};
    cr_expect_not(compose(&rows, &flat, &composed));
    cr_expect_not(compose(&transposed, &flat, &composed));
    const strided two = {.rank = 1, .shape = {2}, .stride = {1}, .offset = 5};
    expect_strides(&transposed, &two, (int64_t[]){-19}, 20); /* two elements are always affine */
    const strided column = {.rank = 1, .shape = {4}, .stride = {6}, .offset = 2};
    expect_strides(&rows, &column, (int64_t[]){0}, 2);
}

Test(compose, nothing_of_anything_is_canonical)
{
    const strided none = {.rank = 2, .shape = {0, 3}, .stride = {0, 0}};
    expect_strides(&transposed, &none, none.stride, 0);
    const strided empty = {.rank = 1, .shape = {0}, .stride = {0}};
    expect_strides(&empty, &none, none.stride, 0);
}

/* Elements 0, 3, 6 of (2, 2, 2) carry at both boundaries at once, by amounts that cancel out. */
Test(compose, carries_that_cancel_out_are_affine)
{
    const strided cancelling = {.rank = 3, .shape = {2, 2, 2}, .stride = {7, 5, 1}};
    const strided every_third = {.rank = 1, .shape = {3}, .stride = {3}};
    expect_strides(&cancelling, &every_third, (int64_t[]){6}, 0);
    const strided other = {.rank = 3, .shape = {2, 2, 2}, .stride = {8, 5, 1}};
    zc_view composed;
    cr_expect_not(compose(&other, &every_third, &composed));
}

Test(compose, axes_that_carry_nothing_do_not_limit_the_search)
{
    const int64_t many = INT64_C(1) << 29;
    const strided cancelling = {.rank = 5, .shape = {many, 2, 2, 2, many}, .stride = {1, 7 * many, 5 * many, many, 0}};
    const strided outer = {.rank = 3, .shape = {many, 3, many}, .stride = {8 * many, 3 * many, 1}};
    expect_strides(&cancelling, &outer, (int64_t[]){1, 6 * many, 0}, 0);
}

/* Affine: 0, 13500, 27000 carry as above, whatever is added to the last digit; but that makes the search too long. */
Test(compose, a_search_beyond_its_limit_is_a_refusal)
{
    const strided cancelling = {.rank = 3, .shape = {2, 2, 9000}, .stride = {18001, 9001, 1}};
    strided outer = {.rank = 2, .shape = {3, 1000}, .stride = {13500, 1}};
    expect_strides(&cancelling, &outer, (int64_t[]){13501, 1}, 0);
    outer.shape[1] = 4500;
    zc_view composed;
    cr_expect_not(compose(&cancelling, &outer, &composed));
}

/* Digits and candidate addresses that leave int64 on the way to a refusal. */
Test(compose, overflow_on_the_way_is_a_refusal)
{
    zc_view composed;
    const int64_t many = INT64_C(1) << 40;
    const strided long_rows = {.rank = 2, .shape = {4, many}, .stride = {1, 8}};
    const strided across = {.rank = 1, .shape = {many}, .stride = {1}, .offset = many - 1};
    cr_expect_not(compose(&long_rows, &across, &composed));
    const strided back = {.rank = 1, .shape = {many}, .stride = {-1}, .offset = many};
    cr_expect_not(compose(&long_rows, &back, &composed));
    const strided far = {.rank = 3, .shape = {2, 2, 2}, .stride = {1, INT64_C(1) << 62, 5}};
    const strided every_third = {.rank = 1, .shape = {3}, .stride = {3}};
    cr_expect_not(compose(&far, &every_third, &composed));
    const strided twice = {.rank = 2, .shape = {2, 3}, .stride = {0, 3}};
    cr_expect_not(compose(&far, &twice, &composed));
}
