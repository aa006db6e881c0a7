/*
 * Arithmetic at the ends of int64: every function of the room that multiplies or adds, over tables of values that
 * overflow, wrap to something harmless, or just fit.
 *
 * Formula: the verdict and the numbers are those of the same sum in 128 bits.
 */
#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "tests/views/chain.h"
#include "views/broadcast.h"
#include "views/compose.h"
#include "views/view_ops.h"

#include <inttypes.h>
#include <string.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define P31          (INT64_C(1) << 31)
#define P32          (INT64_C(1) << 32)
#define P62          (INT64_C(1) << 62)
#define THIRD        INT64_C(6148914691236517206) /* 3 of them wrap to 2 */

static const int64_t values[] = {
    0,   1,       2,    3,   5,    -1,      -2,    -3,     P31 - 1,   P31,           P31 + 1,   -P31,
    P32, P32 + 1, -P32, P62, -P62, P62 - 1, THIRD, -THIRD, INT64_MAX, INT64_MAX - 1, INT64_MIN, INT64_MIN + 1};

static const int64_t extents[] = {0,       1,       2,   3,     5,         P31 - 1, P31,      P32,
                                  2 * P32, P62 - 1, P62, THIRD, INT64_MAX, -1,      INT64_MIN};

static bool fits(wide x)
{
    return x >= INT64_MIN && x <= INT64_MAX;
}

static void check_sum(bool done, int64_t result, wide expected)
{
    cr_assert_eq(done, fits(expected));
    cr_assert(!done || result == expected);
}

Test(boundaries, checked_helpers)
{
    int64_t out = 0;
    for (size_t i = 0; i < COUNT(values); i++)
        for (size_t k = 0; k < COUNT(values); k++) {
            wide a = values[i];
            wide b = values[k];
            bool done = zc_checked_add(values[i], values[k], &out);
            check_sum(done, out, a + b);
            done = zc_checked_subtract(values[i], values[k], &out);
            check_sum(done, out, a - b);
            done = zc_checked_multiply(values[i], values[k], &out);
            check_sum(done, out, a * b);
            for (size_t j = 0; j < COUNT(values); j++) {
                done = zc_checked_advance(values[j], values[i], values[k], &out);
                cr_assert_eq(done, fits(a * b) && fits(values[j] + a * b));
                cr_assert(!done || out == values[j] + a * b);
            }
        }
}

Test(boundaries, shape_sizes)
{
    for (size_t i = 0; i < COUNT(extents); i++)
        for (size_t j = 0; j < COUNT(extents); j++)
            for (size_t k = 0; k < COUNT(extents); k++) {
                const int64_t shape[] = {extents[i], extents[j], extents[k]};
                wide factors = 1;
                wide size = 1;
                bool negative = false;
                for (int a = 0; a < 3; a++) {
                    negative = negative || shape[a] < 0;
                    size = shape[a] == 0 ? 0 : size;
                    if (shape[a] != 0 && fits(factors))
                        factors *= shape[a];
                }
                zc_status expected = negative ? ZC_ERROR_ARGUMENT : fits(factors) ? ZC_OK : ZC_ERROR_OVERFLOW;
                int64_t out = -1;
                cr_assert_eq(zc_shape_size(3, shape, &out, NULL), expected);
                cr_assert(expected != ZC_OK || out == size * factors);
            }
}

Test(boundaries, shape_bytes)
{
    static const uint64_t items[] = {0, 1, 2, 4, 8, 16, P31, P32, P62, UINT64_C(1) << 63, UINT64_MAX};
    zc_reason why;
    for (size_t i = 0; i < COUNT(extents) - 2; i++)
        for (size_t k = 0; k < COUNT(items) && items[k] <= SIZE_MAX; k++) {
            int64_t bytes = -1;
            wide product = (wide)extents[i] * (wide)items[k];
            bool expected = items[k] <= INT64_MAX && fits(product) && product <= (wide)SIZE_MAX;
            zc_status status = zc_shape_bytes(extents[i], (size_t)items[k], &bytes, &why);
            cr_assert_eq(status, expected ? ZC_OK : ZC_ERROR_OVERFLOW);
            cr_assert(!expected || bytes == product);
        }
    cr_expect_eq(zc_shape_bytes(P62, 8, &(int64_t){0}, &why), ZC_ERROR_OVERFLOW);
    cr_expect_str_eq(why.text, "4611686018427387904 elements of 8 bytes are more than memory can hold");
}

/* One view of two axes over a storage; the same sums in 128 bits. */
static void check_proof(const int64_t *shape, const int64_t *stride, int64_t offset, int64_t storage)
{
    zc_view view;
    int64_t size;
    zc_status expected = zc_shape_size(2, shape, &size, NULL); /* checked above */
    wide low = offset;
    wide high = offset;
    bool products_fit = true;
    for (int a = 0; a < 2; a++) {
        wide reach = ((wide)shape[a] - 1) * stride[a];
        products_fit = products_fit && fits(reach);
        *(reach < 0 ? &low : &high) += reach;
    }
    if (expected == ZC_OK && size > 0)
        expected = !products_fit || !fits(low) || !fits(high) ? ZC_ERROR_OVERFLOW
                   : low < 0 || high >= storage               ? ZC_ERROR_ARGUMENT
                                                              : ZC_OK;
    cr_assert_eq(zc_view_prove(2, shape, stride, offset, storage, &view, NULL), expected,
                 "shape (%" PRId64 ", %" PRId64 ") strides (%" PRId64 ", %" PRId64 ") offset %" PRId64 " of %" PRId64,
                 shape[0], shape[1], stride[0], stride[1], offset, storage);
    if (expected != ZC_OK || size == 0)
        return;
    int64_t lowest;
    int64_t highest;
    zc_view_reach(&view, &lowest, &highest);
    cr_assert(lowest == low && highest == high);
}

Test(boundaries, proofs)
{
    static const int64_t storages[] = {0, 1, P31, P32, P62, INT64_MAX};
    static const int64_t second[][2] = {{1, 0},   {2, 1},         {2, -1},   {3, P62},
                                        {5, P62}, {2, INT64_MAX}, {3, -P62}, {THIRD, 3}};
    for (size_t i = 0; i < COUNT(extents); i++)
        for (size_t j = 0; j < COUNT(values); j++)
            for (size_t k = 0; k < COUNT(values); k++)
                for (size_t m = 0; m < COUNT(second); m++)
                    for (size_t s = 0; s < COUNT(storages); s++)
                        check_proof((int64_t[]){extents[i], second[m][0]}, (int64_t[]){values[j], second[m][1]},
                                    values[k], storages[s]);
}

/* A call on a row-major view: verdict, shape, and the addresses of the first and last element. */
static void check_call(const view_call *c, int rank, const int64_t *shape)
{
    char text[600];
    zc_view in;
    zc_view out;
    index_map map;
    zc_reason why = {.text = ""};
    bool affine = true;
    int64_t at[ZC_MAX_RANK];
    int64_t from[ZC_MAX_RANK];
    cr_assert(fits(oracle_size(rank, shape)));
    zc_view_row_major(rank, shape, &in);
    bool accepted = oracle_map(c, rank, shape, &map);
    zc_status status = chain_call(c, &in, &affine, &out, &why);
    chain_text(c, rank, shape, text, sizeof text);
    cr_assert_eq(status == ZC_OK, accepted, "%s: %s", text, why.text);
    if (!accepted)
        return;
    cr_assert(zc_shape_equal(out.rank, out.shape, map.rank, map.shape), "%s: another shape", text);
    if (oracle_size(map.rank, map.shape) == 0)
        return;
    for (int last = 0; last < 2; last++) {
        for (int a = 0; a < map.rank; a++)
            at[a] = last ? map.shape[a] - 1 : 0;
        oracle_pull(&map, at, from);
        cr_assert(oracle_address(out.rank, out.stride, out.offset, at) == oracle_ravel(rank, shape, from),
                  "%s: another element", text);
    }
}

Test(boundaries, slices)
{
    for (size_t i = 0; i < COUNT(extents) - 2; i++)
        for (size_t j = 0; j < COUNT(values); j++)
            for (size_t k = 0; k < COUNT(values); k++)
                for (size_t m = 0; m < COUNT(values); m++) {
                    view_call c = {.kind = CALL_SLICE, .start = values[j], .stop = values[k], .step = values[m]};
                    check_call(&c, 1, &extents[i]);
                }
}

static const int64_t shapes[][3] = {{1, 1, 1},         {P31, P31, 1},     {INT64_MAX, 1, 1}, {1, 1, INT64_MAX},
                                    {3, P31, P31 / 2}, {0, INT64_MAX, 1}, {P32, 0, P31 - 1}, {2, P62 - 1, 1},
                                    {P31 - 1, P31, 2}, {THIRD, 1, 1},     {5, THIRD / 4, 1}, {P62, 1, 1}};

Test(boundaries, indices_and_diagonals)
{
    for (size_t i = 0; i < COUNT(shapes); i++)
        for (int axis = 0; axis < 3; axis++)
            for (size_t k = 0; k < COUNT(values); k++) {
                view_call index = {.kind = CALL_INDEX, .axes = {axis}, .start = values[k]};
                view_call diagonal = {.kind = CALL_DIAGONAL, .axes = {axis, (axis + 1) % 3}, .start = values[k]};
                check_call(&index, 3, shapes[i]);
                check_call(&diagonal, 3, shapes[i]);
            }
}

Test(boundaries, flips)
{
    for (size_t i = 0; i < COUNT(shapes); i++)
        for (int axis = -1; axis < 3; axis++) {
            view_call flip = {.kind = CALL_FLIP, .count = axis < 0 ? -1 : 1, .axes = {axis}};
            check_call(&flip, 3, shapes[i]);
        }
}

/* One call with a shape argument, from a shape where it changes nothing but the sizes of axes. */
static void check_shape_calls(int rank, const int64_t *shape, int to_rank, const int64_t *to)
{
    static const call_kind kinds[] = {CALL_BROADCAST_TO, CALL_TF_BROADCAST_TO, CALL_RESHAPE};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        view_call c = {.kind = kinds[i], .count = to_rank};
        memcpy(c.shape, to, (size_t)to_rank * sizeof *to);
        check_call(&c, rank, shape);
    }
}

Test(boundaries, broadcasts_and_reshapes)
{
    for (size_t i = 0; i < COUNT(extents); i++)
        for (size_t j = 0; j < COUNT(extents); j++) {
            for (size_t k = 0; k < COUNT(shapes); k++) {
                check_shape_calls(3, shapes[k], 2, (int64_t[]){extents[i], extents[j]});
                check_shape_calls(3, shapes[k], 4, (int64_t[]){extents[i], 1, extents[j], 1});
                check_shape_calls(3, shapes[k], 3, (int64_t[]){extents[i], -1, extents[j]});
            }
            check_shape_calls(0, (int64_t[]){0}, 2, (int64_t[]){extents[i], extents[j]});
            check_shape_calls(2, (int64_t[]){1, 1}, 3, (int64_t[]){extents[j], extents[i], 2});
        }
}

/* as_strided of a flipped view in the middle of a storage: lowest 10, first element 10 + size - 1. */
Test(boundaries, strided_views)
{
    static const int64_t sizes[] = {1, 2, P31, P62, INT64_MAX - 10};
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (size_t e = 0; e < COUNT(extents); e++)
            for (size_t j = 0; j < COUNT(values); j++)
                for (size_t k = 0; k < COUNT(values); k++) {
                    zc_view in;
                    zc_view out;
                    int64_t first = 10 + (sizes[i] - 1);
                    int64_t size;
                    cr_assert_eq(zc_view_prove(1, &sizes[i], &(int64_t){-1}, first, INT64_MAX, &in, NULL), ZC_OK);
                    wide low = first + (wide)values[k];
                    wide high = low;
                    wide reach = ((wide)extents[e] - 1) * values[j];
                    *(reach < 0 ? &low : &high) += reach;
                    bool accepted = zc_shape_size(1, &extents[e], &size, NULL) == ZC_OK &&
                                    (size == 0 || (low >= 10 && high <= first));
                    zc_status status = zc_view_as_strided(&in, 1, &extents[e], &values[j], values[k], &out, NULL);
                    cr_assert_eq(status == ZC_OK, accepted);
                    cr_assert(!accepted || size == 0 || out.offset == first + values[k]);
                }
}

/* Composition at the ends: a whole axis backwards, its last element, and steps as long as the axis. */
Test(boundaries, compositions)
{
    for (size_t i = 1; i < COUNT(extents) - 2; i++) {
        const int64_t n = extents[i];
        zc_view inner;
        zc_view outer;
        zc_view out;
        cr_assert_eq(zc_view_prove(1, &n, &(int64_t){-1}, n - 1, INT64_MAX, &inner, NULL), ZC_OK);
        zc_view_row_major(1, &n, &outer);
        cr_assert_eq(zc_view_flip(&outer, ZC_ALL_AXES, &outer, NULL), ZC_OK);
        cr_assert(zc_view_compose(&inner, &outer, &out));
        cr_assert_eq(out.offset, 0, "backwards twice is forwards");
        cr_assert_eq(out.stride[0], n > 1 ? 1 : 0);
        cr_assert_eq(zc_view_slice(&outer, 0, 0, ZC_NONE, INT64_MAX, &outer, NULL), ZC_OK);
        cr_assert(zc_view_compose(&inner, &outer, &out));
        cr_assert_eq(out.offset, 0, "the last, seen backwards, is the first");
    }
}
