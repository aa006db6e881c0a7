/*
 * Write safety against brute force.
 *
 * Formula: is_injective(v) exactly when v's addresses are distinct, for every small view. are_apart(a, b) only when
 * they share no address; of boxes of one shape, exactly then.
 */
#include "views/overlap.h"

#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "tests/views/oracle.h"

#include <string.h>

enum { VIEWS = 20000, STORAGE = 400 };

static bool is_distinct(const oracle *o)
{
    bool seen[STORAGE] = {false};
    for (int64_t k = 0; k < o->count; k++) {
        if (seen[o->element[k]])
            return false;
        seen[o->element[k]] = true;
    }
    return true;
}

Test(overlap, small_views_are_judged_exactly)
{
    zc_random_begin("overlap");
    int distinct = 0;
    for (int i = 0; i < VIEWS * zc_test_scale(); i++) {
        int64_t shape[5];
        int64_t stride[5];
        int rank = (int)zc_random_range(0, 5);
        int64_t offset = 0;
        int64_t reach = 0;
        for (int a = 0; a < rank; a++) {
            shape[a] = zc_random_range(0, 20) == 0 ? 0 : zc_random_range(1, 4);
            stride[a] = zc_random_range(0, 30) == 0 ? 0 : zc_random_range(-25, 25);
            int64_t step = shape[a] > 0 ? (shape[a] - 1) * stride[a] : 0;
            offset -= step < 0 ? step : 0;
            reach += step < 0 ? -step : step;
        }
        zc_view view;
        oracle elements;
        cr_assert_lt(reach, STORAGE);
        cr_assert_eq(zc_view_prove(rank, shape, stride, offset, reach + 1, &view, NULL), ZC_OK);
        oracle_strided(&elements, rank, shape, stride, offset);
        bool expected = is_distinct(&elements);
        distinct += expected;
        cr_assert_eq(zc_view_is_injective(&view), expected, "view %d", i);
        oracle_free(&elements);
    }
    cr_log_info("%d views were injective", distinct);
    cr_assert_gt(distinct, VIEWS / 10, "both answers have to occur");
    cr_assert_lt(distinct, VIEWS * zc_test_scale() * 9 / 10);
}

typedef struct overlap_case {
    int rank;
    int64_t shape[6];
    int64_t stride[6];
    bool injective;
} overlap_case;

static const overlap_case cases[] = {
    {0, {0}, {0}, true},
    {1, {5}, {0}, false},
    {1, {1}, {0}, true},
    {1, {0}, {0}, true},
    {2, {0, 5}, {0, 0}, true},
    {2, {3, 4}, {4, 1}, true},
    {2, {3, 4}, {1, 3}, true},
    {2, {3, 4}, {-4, 1}, true},
    {2, {3, 4}, {1, -1}, false},
    {2, {3, 4}, {3, 1}, false},
    {2, {8, 3}, {1, 1}, false},
    {2, {2, 2}, {3, 2}, true},        /* 0 2 3 5 */
    {2, {3, 3}, {3, 2}, true},        /* 0 2 4 3 5 7 6 8 10 */
    {2, {3, 4}, {3, 2}, false},       /* 2*3 = 3*2 */
    {3, {2, 2, 2}, {5, 3, 2}, false}, /* 3+2 = 5 */
    {3, {2, 2, 2}, {6, 3, 2}, true},  /* 0 2 3 5 6 8 9 11 */
    {2, {INT64_C(1) << 31, INT64_C(1) << 31}, {INT64_C(1) << 31, 1}, true},
    {2, {INT64_C(1) << 31, INT64_C(1) << 31}, {(INT64_C(1) << 31) - 1, 1}, false},
    {2, {INT64_C(1) << 32, 2}, {1, INT64_C(1) << 32}, true},
    {1, {INT64_MAX}, {-1}, true},
    {2, {2, 2}, {(INT64_C(1) << 62) - 1, (INT64_C(1) << 62) - 2}, true},
    {3, {2, 2, 3}, {INT64_C(1) << 60, (INT64_C(1) << 60) - 1, INT64_C(1) << 60}, false},
    {4, {2, 2, 2, 2}, {INT64_C(1) << 60, (INT64_C(1) << 60) + 1, (INT64_C(1) << 61) + 1, 4}, false},
};

Test(overlap, cases_by_hand)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const overlap_case *c = &cases[i];
        zc_view view;
        int64_t offset = 0;
        for (int a = 0; a < c->rank; a++)
            offset -= c->stride[a] < 0 && c->shape[a] > 0 ? (c->shape[a] - 1) * c->stride[a] : 0;
        cr_expect_eq(zc_view_prove(c->rank, c->shape, c->stride, offset, INT64_MAX, &view, NULL), ZC_OK, "case %zu", i);
        cr_expect_eq(zc_view_is_injective(&view), c->injective, "case %zu", i);
    }
}

/* Injective (the strides are coprime and longer than the other's extent), but by a margin that no bounded search finds:
 * undecided counts as no. */
Test(overlap, what_stays_undecided_counts_as_overlapping)
{
    zc_view view;
    const int64_t shape[] = {1000000, 1000000};
    const int64_t stride[] = {1000003, 1000000};
    cr_assert_eq(zc_view_prove(2, shape, stride, 0, INT64_MAX, &view, NULL), ZC_OK);
    cr_expect_not(zc_view_is_injective(&view));
}

/* ---- Two views ---- */

enum { SIDE = 6 };

/* A view at random over SIDE * SIDE * SIDE elements: of any strides, or a box of that shape, with steps where they may
 * be more than 1. */
static void draw_over_cube(bool is_box, int64_t most_step, zc_view *view)
{
    int64_t shape[3], stride[3], offset = 0;
    for (;;) {
        int64_t last = 0, first = 0;
        offset = is_box ? 0 : zc_random_range(0, SIDE * SIDE * SIDE - 1);
        for (int a = 0; a < 3; a++) {
            const int64_t unit = a == 0 ? SIDE * SIDE : a == 1 ? SIDE : 1, step = zc_random_range(1, most_step);
            const int64_t begin = zc_random_range(0, SIDE - 1);
            shape[a] = zc_random_range(1, is_box ? (SIDE - 1 - begin) / step + 1 : 4);
            stride[a] = is_box ? unit * step : zc_random_range(-40, 40);
            offset += is_box ? begin * unit : 0;
            *(stride[a] < 0 ? &first : &last) += (shape[a] - 1) * stride[a];
        }
        if (is_box && zc_random_bool()) { /* seen backwards */
            offset += (shape[1] - 1) * stride[1];
            stride[1] = -stride[1];
        }
        if (zc_view_prove(3, shape, stride, offset, SIDE * SIDE * SIDE, view, NULL) == ZC_OK)
            return;
    }
}

static bool share_element(const zc_view *a, const zc_view *b)
{
    bool seen[SIDE * SIDE * SIDE] = {false}, shared = false;
    const zc_view *views[] = {a, b};
    for (int v = 0; v < 2; v++) {
        for (int64_t k = 0; k < zc_view_size(views[v]); k++) {
            int64_t at = views[v]->offset, rest = k;
            for (int i = views[v]->rank - 1; i >= 0; rest /= views[v]->shape[i--])
                at += rest % views[v]->shape[i] * views[v]->stride[i];
            shared |= v == 1 && seen[at];
            seen[at] |= v == 0;
        }
    }
    return shared;
}

Test(overlap, views_that_share_elements_are_not_apart)
{
    zc_random_begin("overlap/apart");
    int apart = 0;
    for (int i = 0; i < VIEWS * zc_test_scale(); i++) {
        zc_view a, b;
        const int64_t most_step = zc_random_range(1, 3);
        const bool are_boxes = zc_random_range(0, 2) > 0;
        draw_over_cube(are_boxes, most_step, &a);
        draw_over_cube(are_boxes, most_step, &b);
        const bool shared = share_element(&a, &b), found = zc_views_are_apart(&a, &b);
        cr_assert(!(shared && found), "views %d share an element", i);
        cr_assert_eq(found, zc_views_are_apart(&b, &a));
        if (are_boxes && most_step == 1)
            cr_assert_eq(found, !shared, "boxes %d", i);
        apart += found;
    }
    cr_assert_gt(apart, VIEWS / 10, "both answers have to occur");
}

Test(overlap, halves_columns_and_every_other_element_are_apart)
{
    static const struct {
        zc_view a, b;
        bool apart;
    } pairs[] = {
        {{1, 0, {10}, {1}}, {1, 10, {10}, {1}}, true},        /* halves */
        {{1, 0, {10}, {1}}, {1, 9, {10}, {1}}, false},        /* with an element between them */
        {{1, 0, {10}, {2}}, {1, 1, {10}, {2}}, true},         /* even and odd ones */
        {{1, 0, {10}, {2}}, {1, 1, {10}, {3}}, false},        /* 4 is in both */
        {{1, 3, {9}, {10}}, {2, 4, {9, 6}, {10, 1}}, true},   /* a column and the block to its right */
        {{1, 3, {9}, {10}}, {2, 3, {9, 6}, {10, 1}}, false},  /* ... that begins with it */
        {{1, 93, {9}, {-10}}, {2, 4, {9, 6}, {10, 1}}, true}, /* seen from below */
        {{2, 0, {3, 0}, {1, 1}}, {1, 0, {9}, {1}}, true},     /* nothing */
        {{1, 0, {9}, {1}}, {2, 0, {3, 0}, {1, 1}}, true},     {{0, 5, {0}, {0}}, {1, 0, {9}, {1}}, false},
        {{0, 9, {0}, {0}}, {1, 0, {9}, {1}}, true},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        cr_expect_eq(zc_views_are_apart(&pairs[i].a, &pairs[i].b), pairs[i].apart, "pair %zu", i);
}
