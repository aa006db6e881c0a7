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

static void show(const strided *s, zc_view *view, oracle *elements) {
    oracle_strided(elements, s->rank, s->shape, s->stride, s->offset);
    int64_t highest = 0;
    for (int64_t k = 0; k < elements->count; k++)
        highest = elements->element[k] > highest ? elements->element[k] : highest;
    cr_assert_eq(zc_view_prove(s->rank, s->shape, s->stride, s->offset, highest + 1, view, NULL), ZC_OK);
}

/* Composes, and holds the verdict and the elements against brute force. */
static bool check(const strided *a, const strided *b, bool *affine) {
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

static int64_t size_of(const strided *s) {
    return (int64_t)oracle_size(s->rank, s->shape);
}

/* Small extents, and strides of any sign that may continue each other, repeat, overlap. */
static void draw_inner(strided *s) {
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
static void draw_outer(int64_t size, strided *s) {
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

Test(compose, random_views_compose_exactly_when_strides_exist) {
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
