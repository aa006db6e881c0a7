/*
 * Write safety against brute force.
 *
 * Formula: is_injective(v) exactly when v's addresses are distinct, for every small view.
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
