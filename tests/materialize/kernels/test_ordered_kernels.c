/*
 * Kernels against loops of plain C, in every table: those that move elements by strides and by positions, that check
 * positions, that add and scan in order, and the sums of products of rows in the lanes of the numerics contract.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/memory/heap.h"
#include "tests/materialize/kernels/tables.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

enum { MOST = 70, SPREAD = 5, PLACES = 1024, ROUNDS = 30 };

/* Finite numbers of a dtype, small enough for exact sums of products where they are floats. */
static void fill(zc_dtype dtype, void *memory, int64_t n)
{
    const size_t item = zc_dtype_bytes(dtype);
    for (int64_t i = 0; i < n; i++) {
        char *at = (char *)memory + (size_t)i * item;
        const int64_t bits = (int64_t)zc_random_u64();
        const float single = (float)zc_random_range(-99, 99) / 7;
        const double wide = (double)zc_random_range(-99, 99) / 7;
        memcpy(at, &bits, item < sizeof bits ? item : sizeof bits);
        if (dtype == ZC_FLOAT32)
            memcpy(at, &single, sizeof single);
        if (dtype == ZC_FLOAT64)
            memcpy(at, &wide, sizeof wide);
    }
}

/* ---- Moving ---- */

static bool is_one_where_it_was_not_zero(const char *out, const char *in)
{
    return *out == (*in != 0);
}

static void expect_unpacked(const zc_kernels *k, zc_dtype dtype, int64_t stride)
{
    _Alignas(ZC_DATA_ALIGNMENT) char in[MOST * sizeof(zc_scalar)], out[PLACES * sizeof(zc_scalar)];
    const int64_t n = zc_random_range(0, MOST), first = PLACES / 2;
    const size_t item = zc_dtype_bytes(dtype);
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (char)(zc_random_bool() ? 0 : zc_random_u64());
    memset(out, 7, sizeof out);
    k->unpack[dtype](out + (size_t)first * item, in, stride, n);
    for (int64_t at = 0; at < PLACES; at++) {
        const int64_t i = stride == 0 ? -1 : (at - first) / stride;
        const bool is_written = i >= 0 && i < n && first + i * stride == at;
        const char *got = out + (size_t)at * item, *from = in + (size_t)i * item;
        if (!is_written)
            cr_assert(got[0] == 7 && got[item - 1] == 7, "%s, %s by %ld: place %ld", k->name, zc_dtype_name(dtype),
                      (long)stride, (long)at);
        else
            cr_assert(dtype == ZC_BOOL ? is_one_where_it_was_not_zero(got, from) : memcmp(got, from, item) == 0,
                      "%s, %s by %ld: element %ld", k->name, zc_dtype_name(dtype), (long)stride, (long)i);
    }
}

static void expect_gathered(const zc_kernels *k, zc_dtype dtype, int count)
{
    _Alignas(ZC_DATA_ALIGNMENT) char in[PLACES * sizeof(zc_scalar)], out[MOST * sizeof(zc_scalar)];
    int64_t positions[ZC_MAX_ARITY][MOST];
    const bool is_plain = zc_random_range(0, 2) == 0; /* positions alone say where elements are */
    const int64_t n = zc_random_range(0, MOST), stride = is_plain ? 0 : zc_random_range(-2, 2), first = PLACES / 2;
    const size_t item = zc_dtype_bytes(dtype);
    zc_gather_offsets offsets = {.count = count};
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (char)zc_random_u64();
    for (int p = 0; p < count; p++) {
        for (int i = 0; i < MOST; i++)
            positions[p][i] = zc_random_range(0, SPREAD);
        offsets.position[p] = positions[p];
        offsets.stride[p] = is_plain ? 1 : zc_random_range(-9, 9);
    }
    k->gather[dtype](out, in + (size_t)first * item, stride, &offsets, n);
    for (int64_t i = 0; i < n; i++) {
        int64_t at = first + i * stride;
        for (int p = 0; p < count; p++)
            at += positions[p][i] * offsets.stride[p];
        cr_assert(memcmp(out + (size_t)i * item, in + (size_t)at * item, item) == 0, "%s, %s: element %ld of %ld",
                  k->name, zc_dtype_name(dtype), (long)i, (long)n);
    }
}

/* To places that are met once, some of them never. */
static void expect_dealt(const zc_kernels *k, zc_dtype dtype)
{
    _Alignas(ZC_DATA_ALIGNMENT) char in[MOST * sizeof(zc_scalar)], out[MOST * sizeof(zc_scalar)];
    uint16_t place[MOST];
    const int64_t n = zc_random_range(0, MOST), first = zc_random_range(0, MOST - 1);
    const size_t item = zc_dtype_bytes(dtype);
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (char)zc_random_u64();
    memset(out, 7, sizeof out);
    for (int64_t i = 0; i < n; i++)
        place[i] = (uint16_t)((first + MOST - i) % MOST);
    k->deal[dtype](out, place, in, n);
    for (int64_t at = 0; at < MOST; at++) {
        const int64_t i = (first + MOST - at) % MOST;
        const char *got = out + (size_t)at * item;
        const bool is_right = i < n ? memcmp(got, in + (size_t)i * item, item) == 0 : got[0] == 7 && got[item - 1] == 7;
        cr_assert(is_right, "%s, %s: place %ld of %ld elements", k->name, zc_dtype_name(dtype), (long)at, (long)n);
    }
}

Test(ordered_kernels, elements_are_moved_by_strides_and_by_positions)
{
    static const int64_t strides[] = {1, -1, 2, 3, -4, 7};
    const zc_kernels *tested[MOST_TABLES];
    zc_random_begin("ordered_kernels, moved");
    for (int t = list_tables(tested) - 1; t >= 0; t--) {
        for (int dtype = 0; dtype < ZC_DTYPE_COUNT; dtype++) {
            for (size_t s = 0; s < sizeof strides / sizeof *strides; s++)
                expect_unpacked(tested[t], (zc_dtype)dtype, strides[s]);
            for (int round = 0; round < ROUNDS; round++)
                expect_gathered(tested[t], (zc_dtype)dtype, 1 + round % ZC_MAX_ARITY);
            for (int round = 0; round < ROUNDS; round++)
                expect_dealt(tested[t], (zc_dtype)dtype);
        }
    }
}

/* ---- Positions and indices ---- */

Test(ordered_kernels, all_positions_inside_are_told_from_one_outside)
{
    static const int64_t outside[] = {-1, INT64_MIN, INT64_MIN + 1, INT64_MAX, 5, 6};
    const zc_kernels *tested[MOST_TABLES];
    int64_t positions[MOST];
    for (int t = list_tables(tested) - 1; t >= 0; t--) {
        for (int64_t n = 1; n < MOST; n++) {
            for (int64_t i = 0; i < n; i++)
                positions[i] = i % 5;
            cr_assert(tested[t]->are_inside(positions, 5, n), "%s: %ld positions", tested[t]->name, (long)n);
            for (size_t o = 0; o < sizeof outside / sizeof *outside; o++) {
                const int64_t at = n * (int64_t)o / 6;
                positions[at] = outside[o];
                cr_assert_not(tested[t]->are_inside(positions, 5, n), "%s: place %ld", tested[t]->name, (long)at);
                positions[at] = at % 5;
            }
        }
        cr_assert(tested[t]->are_inside(&(int64_t){INT64_MAX - 1}, INT64_MAX, 1), "%s", tested[t]->name);
        cr_assert_not(tested[t]->are_inside(&(int64_t){0}, 0, 1), "%s", tested[t]->name);
    }
}

Test(ordered_kernels, positions_count_from_the_end_or_are_refused)
{
    const zc_kernels *tested[MOST_TABLES];
    zc_random_begin("ordered_kernels, positions");
    for (int t = list_tables(tested) - 1; t >= 0; t--) {
        for (int round = 0; round < 10 * ROUNDS; round++) {
            int64_t positions[MOST], out[MOST], index[MOST];
            const int64_t n = zc_random_range(0, MOST), extent = zc_random_range(0, 9), reach = extent + round % 2;
            bool are_inside = true, are_in_place = true;
            for (int64_t i = 0; i < n; i++)
                positions[i] = zc_random_range(-reach, reach);
            const bool said = tested[t]->check(out, positions, extent, n);
            tested[t]->index(index, positions[0], extent - 4, n);
            for (int64_t i = 0; i < n; i++) {
                const bool is_inside = positions[i] >= -extent && positions[i] < extent;
                are_inside = are_inside && is_inside;
                are_in_place = are_in_place && is_inside && positions[i] >= 0;
                cr_assert_eq(out[i], !is_inside ? 0 : positions[i] < 0 ? positions[i] + extent : positions[i]);
                cr_assert_eq(index[i], positions[0] + i * (extent - 4));
            }
            cr_assert_eq(said, are_inside, "%s: extent %ld", tested[t]->name, (long)extent);
            cr_assert_eq(tested[t]->are_inside(positions, extent, n), are_in_place, "%s: extent %ld", tested[t]->name,
                         (long)extent);
        }
    }
}

/* ---- In order ---- */

/* to = a + b or a * b as the dtype has it: integers wrap. */
static void combine(zc_dtype dtype, bool is_product, void *to, const void *a, const void *b)
{
    uint64_t x = 0, y = 0;
    float f[2];
    double d[2];
    const size_t item = zc_dtype_bytes(dtype);
    if (dtype == ZC_FLOAT32) {
        memcpy(&f[0], a, item);
        memcpy(&f[1], b, item);
        f[0] = is_product ? f[0] * f[1] : f[0] + f[1];
        memcpy(to, f, item);
    } else if (dtype == ZC_FLOAT64) {
        memcpy(&d[0], a, item);
        memcpy(&d[1], b, item);
        d[0] = is_product ? d[0] * d[1] : d[0] + d[1];
        memcpy(to, d, item);
    } else {
        memcpy(&x, a, item);
        memcpy(&y, b, item);
        x = is_product ? x * y : x + y;
        memcpy(to, &x, item);
    }
}

static void expect_scanned(const zc_kernels *k, zc_dtype dtype, bool is_product)
{
    _Alignas(ZC_DATA_ALIGNMENT) char in[MOST * sizeof(zc_scalar)], out[MOST * sizeof(zc_scalar)];
    zc_scalar carry = {0}, wanted;
    const int64_t n = zc_random_range(0, MOST);
    const size_t item = zc_dtype_bytes(dtype);
    fill(dtype, in, n);
    fill(dtype, &carry, 1);
    wanted = carry;
    k->scan[is_product][dtype](out, &carry, in, n);
    for (int64_t i = 0; i < n; i++) {
        combine(dtype, is_product, &wanted, &wanted, in + (size_t)i * item);
        cr_assert(memcmp(out + (size_t)i * item, &wanted, item) == 0, "%s, %s: element %ld", k->name,
                  zc_dtype_name(dtype), (long)i);
    }
    cr_assert_eq(memcmp(&carry, &wanted, item), 0);
}

/* Elements that are set, added or multiplied where they belong; both others are comparisons. */
static void expect_updated(const zc_kernels *k, zc_update_op how, zc_dtype dtype, bool has_positions)
{
    _Alignas(ZC_DATA_ALIGNMENT) char in[MOST * sizeof(zc_scalar)], out[PLACES * sizeof(zc_scalar)];
    _Alignas(ZC_DATA_ALIGNMENT) char wanted[PLACES * sizeof(zc_scalar)];
    int64_t positions[MOST];
    const int64_t n = zc_random_range(0, MOST), stride = zc_random_range(-2, 2),
                  position_stride = zc_random_range(-9, 9);
    const size_t item = zc_dtype_bytes(dtype), first = PLACES / 2;
    fill(dtype, in, n);
    fill(dtype, out, PLACES);
    memcpy(wanted, out, sizeof out);
    for (int64_t i = 0; i < n; i++) {
        positions[i] = zc_random_range(0, SPREAD);
        char *at = wanted +
                   ((int64_t)first + i * stride + (has_positions ? positions[i] * position_stride : 0)) * (int64_t)item;
        if (how == ZC_UPDATE_SET)
            memcpy(at, in + (size_t)i * item, item);
        else
            combine(dtype, how == ZC_UPDATE_MULTIPLY, at, at, in + (size_t)i * item);
    }
    k->update[how][dtype](out + first * item, in, stride, has_positions ? positions : NULL, position_stride, n);
    cr_assert(memcmp(out, wanted, PLACES * item) == 0, "%s, %s", k->name, zc_dtype_name(dtype));
}

Test(ordered_kernels, scans_and_updates_go_from_the_first_element_to_the_last)
{
    const zc_kernels *tested[MOST_TABLES];
    zc_random_begin("ordered_kernels, scans");
    for (int t = list_tables(tested) - 1; t >= 0; t--) {
        cr_expect(tested[t]->scan[0][ZC_BOOL] == NULL && tested[t]->update[ZC_UPDATE_ADD][ZC_BOOL] == NULL);
        for (int dtype = ZC_INT8; dtype <= ZC_FLOAT64; dtype++) {
            for (int round = 0; round < ROUNDS; round++) {
                expect_scanned(tested[t], (zc_dtype)dtype, round % 2 == 1);
                expect_updated(tested[t], (zc_update_op)(round % 3), (zc_dtype)dtype, round % 2 == 1);
            }
        }
    }
}

static void expect_recurred(const zc_kernels *k)
{
    float in[MOST], factors[MOST], out[MOST], carry = 3, wanted = 3;
    double wide[MOST], wide_factors[MOST], wide_out[MOST], wide_carry = 3, wide_wanted = 3;
    const int64_t n = zc_random_range(0, MOST);
    fill(ZC_FLOAT32, in, n);
    fill(ZC_FLOAT64, wide, n);
    for (int64_t i = 0; i < n; i++)
        wide_factors[i] = factors[i] = (float)zc_random_range(-99, 99) / 99;
    k->recurrence[ZC_FLOAT32](out, &carry, factors, in, n);
    k->recurrence[ZC_FLOAT64](wide_out, &wide_carry, wide_factors, wide, n);
    for (int64_t i = 0; i < n; i++) {
        const float product = wanted * factors[i];
        const double wide_product = wide_wanted * wide_factors[i];
        wanted = product + in[i];
        wide_wanted = wide_product + wide[i];
        cr_assert(out[i] == wanted && wide_out[i] == wide_wanted, "%s: element %ld", k->name, (long)i);
    }
    cr_assert(carry == wanted && wide_carry == wide_wanted);
}

Test(ordered_kernels, recurrences_round_twice_an_element)
{
    const zc_kernels *tested[MOST_TABLES];
    zc_random_begin("ordered_kernels, recurrences");
    for (int t = list_tables(tested) - 1; t >= 0; t--) {
        for (int round = 0; round < ROUNDS; round++)
            expect_recurred(tested[t]);
    }
}

/* ---- Sums over pairs of rows ---- */

enum { LONGEST = 100, OTHERS = 2 * ZC_LANES, ROWS = ZC_DOT_BLOCK_ROWS };

/* The sum of the terms in lanes that begin with -0.0 and are folded by halves, rounded to the dtype at every step. */
static double lane_sum(const double *x, const double *y, int64_t length, zc_row_dot kind, bool is_single)
{
    double lanes[ZC_LANES];
    for (int l = 0; l < ZC_LANES; l++)
        lanes[l] = -0.0;
    for (int64_t i = 0; i < length; i++) {
        double difference = is_single ? (float)(x[i] - y[i]) : x[i] - y[i];
        double term = kind == ZC_ROW_DOT_DISTANCE    ? difference * difference
                      : kind == ZC_ROW_DOT_MAGNITUDE ? fabs(difference)
                                                     : x[i] * y[i];
        double sum = lanes[i % ZC_LANES] + (is_single ? (float)term : term);
        lanes[i % ZC_LANES] = is_single ? (float)sum : sum;
    }
    for (int half = ZC_LANES / 2; half > 0; half /= 2) {
        for (int l = 0; l < half; l++) {
            double sum = lanes[l] + lanes[l + half];
            lanes[l] = is_single ? (float)sum : sum;
        }
    }
    return lanes[0];
}

typedef struct pairs {
    bool is_single;
    int64_t length;
    double x[ROWS][LONGEST], y[OTHERS][LONGEST]; /* exact in the dtype */
    char rows[ROWS + OTHERS][LONGEST * sizeof(double)], panel[LONGEST * OTHERS * sizeof(double)],
        out[OTHERS * sizeof(double)];
} pairs;

static void put(const pairs *p, char *memory, int64_t at, double value)
{
    const float single = (float)value;
    if (p->is_single)
        memcpy(memory + (size_t)at * sizeof single, &single, sizeof single);
    else
        memcpy(memory + (size_t)at * sizeof value, &value, sizeof value);
}

static double result(const pairs *p, int64_t at)
{
    float single;
    double wide;
    memcpy(&single, p->out + (size_t)at * sizeof single, sizeof single);
    memcpy(&wide, p->out + (size_t)(p->is_single ? 0 : at) * sizeof wide, sizeof wide);
    return p->is_single ? single : wide;
}

static void draw_pairs(pairs *p, bool is_single)
{
    p->is_single = is_single;
    p->length = zc_random_range(1, LONGEST);
    for (int r = 0; r < ROWS + OTHERS; r++) {
        for (int64_t i = 0; i < p->length; i++) {
            const double value = (float)zc_random_range(-9999, 9999) / 7;
            (r < ROWS ? p->x[r] : p->y[r - ROWS])[i] = is_single ? (float)value : value;
            put(p, p->rows[r], i, value);
            if (r >= ROWS)
                put(p, p->panel, i * OTHERS + r - ROWS, value);
        }
    }
}

static void expect_dots(const zc_kernels *k, pairs *p, zc_row_dot kind)
{
    const zc_dtype dtype = p->is_single ? ZC_FLOAT32 : ZC_FLOAT64;
    const void *x[ROWS], *y[ROWS];
    zc_scalar padding;
    put(p, (char *)padding.bytes, 0, -0.0);
    for (int r = 0; r < ROWS; r++) {
        x[r] = p->rows[r];
        y[r] = p->rows[ROWS + r];
    }
    k->row_dot[kind][dtype](p->out, x, y, p->length, padding.bytes);
    for (int i = 0; i < ROWS * ROWS; i++) {
        double wanted = lane_sum(p->x[i / ROWS], p->y[i % ROWS], p->length, kind, p->is_single);
        cr_assert_eq(result(p, i), wanted, "%s: pair %d of length %ld", k->name, i, (long)p->length);
    }
    k->row_panel[kind][dtype](p->out, p->rows[0], p->panel, p->length, OTHERS);
    for (int i = 0; i < OTHERS; i++) {
        double wanted = lane_sum(p->x[0], p->y[i], p->length, kind, p->is_single);
        cr_assert_eq(result(p, i), wanted, "%s: row %d of a panel of length %ld", k->name, i, (long)p->length);
    }
}

Test(ordered_kernels, rows_are_multiplied_in_the_lanes_of_the_contract)
{
    static pairs p;
    const zc_kernels *tested[MOST_TABLES];
    zc_random_begin("ordered_kernels, rows");
    for (int t = list_tables(tested) - 1; t >= 0; t--) {
        for (int round = 0; round < 2 * ZC_ROW_DOT_COUNT * ROUNDS; round++) {
            draw_pairs(&p, round % 2 == 1);
            expect_dots(tested[t], &p, (zc_row_dot)(round / 2 % ZC_ROW_DOT_COUNT));
        }
    }
}
