/*
 * Every allocation fails in turn.
 *
 * Each scenario runs with an allocator that fails its k-th call, for k = 1, 2, ... until the scenario gets through,
 * once failing that call alone and once all after it, too. Whatever happens: no crash, a status and a sentence when
 * something was refused, nothing left allocated, and inputs that still give their right results afterwards.
 *
 * Longer than 500 lines because each scenario is a function.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/failing.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { N = 6, MOST_CALLS = 5000 };

/* Records on x, a (6, 6) float32 tensor of 0 .. 35, and computes; true when it got through with the right result. */
typedef bool scenario(zc_context *ctx, zc_tensor *x);

static bool first_element(zc_context *ctx, const zc_tensor *t, double wanted)
{
    zc_tensor *as_double = zc_astype(t, ZC_FLOAT64), *out = NULL;
    bool right = zc_materialize(as_double, &out) == ZC_OK && *(const double *)zc_data(out) == wanted;
    if (out == NULL)
        cr_assert_neq(zc_error_status(ctx), ZC_OK, "a failure without a status");
    return right;
}

static bool views(zc_context *ctx, zc_tensor *x)
{
    zc_tensor *t = zc_flip(zc_slice(zc_permute_dims(x, ZC_AXES(1, 0)), 0, 1, ZC_NONE, 2), ZC_AXES(1));
    t = zc_squeeze(zc_expand_dims(zc_index(t, 0, 1), 0), ZC_AXES(0));
    return first_element(ctx, zc_broadcast_to(t, ZC_SHAPE(3, N)), 33);
}

static bool lists(zc_context *ctx, zc_tensor *x)
{
    zc_tensor *rows[N] = {NULL}, *halves[2] = {NULL}, *shown[2] = {NULL}, *grid[2] = {NULL};
    bool done = zc_meshgrid(2, (const zc_tensor *const[]){zc_index(x, 0, 0), zc_index(x, 0, 1)}, true, grid) == ZC_OK &&
                zc_unstack(x, 0, N, rows) == ZC_OK && zc_split(rows[2], 0, 2, NULL, halves) == ZC_OK &&
                zc_broadcast_arrays(2, (const zc_tensor *const[]){halves[1], zc_slice(x, 1, 0, 3, 1)}, shown) == ZC_OK;
    for (int i = 0; i < N; i++)
        cr_assert((rows[i] != NULL) == (rows[0] != NULL), "some of the rows were handed out");
    cr_assert((halves[0] != NULL) == (halves[1] != NULL) && (shown[0] != NULL) == (shown[1] != NULL) &&
              (grid[0] != NULL) == (grid[1] != NULL));
    cr_assert(done || zc_error_status(ctx) != ZC_OK, "a failure without a status");
    return done && first_element(ctx, shown[0], 15);
}

/* With panels that are data memory. */
static bool panels(zc_context *ctx, zc_tensor *x)
{
    zc_tensor *wide = zc_broadcast_to(zc_index(x, 0, 1), ZC_SHAPE(300, N)),
              *tall = zc_tile(wide, 2, (const int64_t[]){1, 25});
    zc_tensor *right =
        zc_broadcast_to(zc_expand_dims(zc_add(zc_iota(ctx, 8), zc_weak_int(ctx, 1)), 0), ZC_SHAPE(150, 8));
    return first_element(ctx, zc_matmul(zc_copy(tall), right), 25 * (6 + 7 + 8 + 9 + 10 + 11));
}

static zc_tensor *corner(const zc_tensor *t)
{
    return zc_index(zc_index(t, 0, 0), 0, 0);
}

/* Operands that are computed where they are packed: columns, rows, both, and lanes of either. */
static bool packed_operands(zc_context *ctx, zc_tensor *x)
{
    zc_tensor *line = zc_index(x, 0, 0), *y = zc_add(zc_multiply(x, zc_index(x, 0, 1)), zc_expand_dims(line, 1));
    zc_tensor *columns = zc_matmul(zc_slice(x, 0, 0, 2, 1), y), *rows = zc_matmul(y, zc_slice(x, 1, 0, 2, 1));
    zc_tensor *lanes = zc_add(zc_matmul(y, line), zc_vecdot(y, zc_negative(x), -1));
    zc_tensor *both = corner(zc_matmul(y, zc_negative(y)));
    zc_tensor *sides = zc_add(corner(columns), corner(rows)), *others = zc_add(zc_index(lanes, 0, 0), both);
    return first_element(ctx, zc_add(sides, others), 37 * 55 + 6 * 555 - 37 * 555);
}

/* Products that lie side by side: a row by a matrix, many rows by few columns and by one, and columns by columns. */
static bool side_by_side(zc_context *ctx, zc_tensor *x)
{
    zc_tensor *many = zc_broadcast_to(zc_index(x, 0, 1), ZC_SHAPE(100, N));
    const zc_tensor *const columns[] = {zc_tile(x, 2, (const int64_t[]){1, 20}),
                                        zc_full(ctx, ZC_SHAPE(N, 20 * N), ZC_FLOAT32, 1)};
    zc_tensor *row = zc_matmul(zc_index(x, 0, 0), zc_copy(columns[0]));
    zc_tensor *narrow = zc_matmul(zc_copy(many), zc_slice(x, 1, 0, 2, 1));
    zc_tensor *sums = zc_einsum(ctx, "ik,ik->k", 2, columns);
    zc_tensor *few = zc_matmul(zc_copy(many), zc_index(x, 1, 0));
    zc_tensor *all = zc_add(zc_index(row, 0, 0), zc_add(corner(narrow), zc_index(sums, 0, 0)));
    return first_element(ctx, zc_add(all, zc_index(few, 0, 0)), 330 + 870 + 90 + 870);
}

/* A product and what follows it, which take turns. */
static bool overwriting(zc_context *ctx, zc_tensor *x)
{
    zc_tensor *row = zc_astype(zc_iota(ctx, 1000), ZC_FLOAT32), *column = zc_expand_dims(zc_add(row, row), 1);
    zc_tensor *product = zc_matmul(column, zc_expand_dims(zc_slice(row, 0, 0, 600, 1), 0));
    zc_tensor *sum = zc_add(product, zc_index(zc_index(x, 0, 0), 0, 5)), *out = NULL;
    return zc_materialize(sum, &out) == ZC_OK && *(const float *)zc_data(out) == 5;
}

/* In place, while computing, of a constant, and copied. */
static bool bits(zc_context *ctx, zc_tensor *x)
{
    zc_tensor *words = zc_bitcast(zc_bitcast(x, ZC_UINT8), ZC_UINT32);
    zc_tensor *computed = zc_bitcast(zc_add(words, zc_bitcast(zc_weak_int(ctx, 0), ZC_UINT64)), ZC_FLOAT64);
    zc_tensor *same = zc_equal(zc_bitcast(computed, ZC_UINT64), zc_copy(words));
    return first_element(ctx, zc_reshape_view(zc_isin(same, same), ZC_SHAPE(4, 9)), 1);
}

static bool chain(zc_context *ctx, zc_tensor *x)
{
    zc_tensor *t = zc_add(zc_multiply(x, zc_weak_int(ctx, 2)), zc_weak_float(ctx, 0.5));
    return first_element(ctx, zc_relu(zc_subtract(t, zc_exp(zc_index(x, 0, 0)))), 0);
}

static bool reductions(zc_context *ctx, zc_tensor *x)
{
    zc_tensor *centred = zc_subtract(x, zc_mean(x, ZC_AXES(1), true));
    return first_element(ctx, zc_max(zc_sum(zc_square(centred), ZC_AXES(1), false), ZC_ALL_AXES, false), 17.5);
}

/* Many short axes, moved as one. */
static bool short_axes(zc_context *ctx, zc_tensor *x)
{
    static const int64_t shape[] = {2, 2, 2, 2, 2, 2, 2, 2};
    static const int order[] = {7, 6, 5, 4, 3, 2, 1, 0};
    zc_tensor *t = NULL, *out = NULL;
    if (zc_materialize(zc_reshape(zc_iota(ctx, 256), 8, shape), &out) != ZC_OK)
        return false;
    t = zc_reshape(zc_copy(zc_permute_dims(out, 8, order)), ZC_SHAPE(256));
    return first_element(ctx, zc_add(zc_index(t, 0, 1), zc_index(zc_index(x, 0, 0), 0, 1)), 129);
}

/* Sums windows of three by three elements; the last one's are 21 to 35. */
static bool windows(zc_context *ctx, zc_tensor *x)
{
    zc_tensor *sums = zc_sum(zc_sliding_window_view(x, ZC_SHAPE(3, 3), ZC_ALL_AXES), ZC_AXES(2, 3), false);
    return first_element(ctx, zc_index(zc_index(sums, 0, 3), 0, 3), 9 * 28);
}

static bool nearest(zc_context *ctx, zc_tensor *x)
{
    zc_tensor *d = zc_square(zc_subtract(zc_expand_dims(x, 1), zc_expand_dims(x, 0)));
    zc_tensor *i = zc_iota(ctx, N);
    zc_tensor *others =
        zc_where(zc_equal(zc_expand_dims(i, 1), i), zc_weak_float(ctx, 1e9), zc_sum(d, ZC_AXES(2), false));
    return first_element(ctx, zc_argmin(others, ZC_AXES(1), false), 1);
}

static bool copies(zc_context *ctx, zc_tensor *x)
{
    zc_tensor *t = zc_reshape(zc_broadcast_to(zc_index(x, 0, 1), ZC_SHAPE(4, N)), ZC_SHAPE(-1));
    return first_element(ctx, zc_reshape(zc_add(t, t), ZC_SHAPE(3, 8)), 12);
}

/* A costly node seen under several views, and one that varies along few axes. */
static bool cuts(zc_context *ctx, zc_tensor *x)
{
    zc_tensor *e = zc_tanh(zc_exp(zc_negative(x)));
    zc_tensor *both = zc_add(e, zc_matrix_transpose(e));
    zc_tensor *wide = zc_add(zc_expand_dims(zc_log(zc_add(x, zc_weak_int(ctx, 1))), 0),
                             zc_full(ctx, ZC_SHAPE(400, 1, 1), ZC_FLOAT32, 0.0));
    zc_tensor *sum = zc_sum(wide, ZC_AXES(0), false);
    zc_tensor *compared = zc_greater(both, sum);
    return first_element(ctx, compared, 1);
}

/* Assembled in pieces, of several dtypes, in a concat of concats. */
static bool concats(zc_context *ctx, zc_tensor *x)
{
    zc_tensor *integers = zc_astype(zc_index(x, 0, 5), ZC_INT16);
    zc_tensor *row =
        zc_concat(ctx, 3, (const zc_tensor *const[]){zc_negative(zc_index(x, 0, 0)), integers, zc_index(x, 0, 1)}, 0);
    zc_tensor *rolled = zc_roll(row, 1, (const int64_t[]){7}, (const int[]){0});
    zc_tensor *pair = zc_stack(ctx, 2, (const zc_tensor *const[]){rolled, zc_tanh(rolled)}, 1);
    return first_element(ctx, zc_sum(pair, ZC_AXES(1), false), 36);
}

static bool pads(zc_context *ctx, zc_tensor *x)
{
    const int64_t two[] = {2, 2}, nine[] = {9, 0};
    zc_tensor *framed = zc_pad(zc_add(x, x), 2, two, two, ZC_PAD_CONSTANT, zc_weak_int(ctx, 3));
    zc_tensor *turned = zc_pad(framed, 2, nine, two, ZC_PAD_SYMMETRIC, NULL);
    zc_tensor *wide = zc_pad(zc_index(x, 0, 0), 1, (const int64_t[]){100}, (const int64_t[]){0}, ZC_PAD_REFLECT, NULL);
    return first_element(ctx, zc_index(zc_slice(turned, 0, 1, ZC_NONE, 1), 1, 3), 62) && first_element(ctx, wide, 0);
}

/* Views, a refined domain, and one that is read through computed positions. */
static bool tiles(zc_context *ctx, zc_tensor *x)
{
    const int64_t times[] = {3, 5};
    zc_tensor *tiled = zc_tile(x, 2, times), *repeated = zc_repeat(zc_repeat(x, 3, 0), 5, 1);
    zc_tensor *crossed = zc_add(zc_tile(zc_index(x, 0, 0), 1, (const int64_t[]){4}),
                                zc_tile(zc_slice(zc_iota(ctx, 9), 0, 1, ZC_NONE, 1), 1, (const int64_t[]){3}));
    zc_tensor *sum = zc_add(zc_sum(zc_multiply(tiled, repeated), ZC_ALL_AXES, false), zc_index(crossed, 0, 8));
    return first_element(ctx, sum, 180273);
}

/* Along one axis, along four, which takes a cut, and at a position that is outside. */
static bool takes(zc_context *ctx, zc_tensor *x)
{
    zc_tensor *first = zc_iota(ctx, 2), *t = zc_reshape(zc_negative(x), ZC_SHAPE(2, 3, 3, 2)), *out = NULL;
    for (int a = 0; a < 4; a++)
        t = zc_take(t, zc_add(first, zc_weak_int(ctx, -1 - a % 2)), a);
    zc_tensor *along = zc_take_along_axis(x, zc_astype(zc_remainder(x, zc_weak_int(ctx, N)), ZC_UINT64), 0);
    zc_tensor *difference =
        zc_subtract(zc_slice(zc_slice(along, 0, 1, 3, 1), 1, 4, ZC_NONE, 1), zc_index(zc_index(t, 0, 0), 0, 0));
    if (!first_element(ctx, difference, 56))
        return false;
    (void)zc_materialize(zc_take(x, zc_weak_int(ctx, N), 0), &out);
    cr_assert_null(out);
    cr_assert_neq(zc_error_status(ctx), ZC_OK, "a position outside was taken");
    bool is_told = zc_error_status(ctx) == ZC_ERROR_INDEX;
    if (is_told)
        zc_error_clear(ctx);
    return is_told;
}

/* Along two axes at once, and what is put where views, positions and numbers say. */
static bool places(zc_context *ctx, zc_tensor *x)
{
    zc_tensor *first = zc_iota(ctx, 2), *all = zc_places(x), *two = zc_weak_int(ctx, 2);
    const zc_tensor *const both[] = {first, zc_negative(first)};
    zc_tensor *corner = zc_gather(x, ZC_ALL_AXES, both);
    zc_tensor *t = zc_update(x, zc_gather(all, ZC_ALL_AXES, both), zc_add(corner, two), ZC_UPDATE_SET);
    t = zc_update(t, zc_slice(all, 0, 1, 3, 1), two, ZC_UPDATE_MULTIPLY);
    t = zc_update(t, zc_slice(zc_reshape(zc_take(all, zc_iota(ctx, 2), 0), ZC_SHAPE(-1)), 0, 1, 3, 1), two,
                  ZC_UPDATE_SET);
    zc_tensor *repeated =
        zc_grad(zc_sum(zc_sum(x, ZC_AXES(0), false), ZC_ALL_AXES, false), zc_reshape(x, ZC_SHAPE(-1)));
    t = zc_add(t, zc_multiply(zc_sum(repeated, ZC_ALL_AXES, false), zc_weak_int(ctx, 0)));
    zc_tensor *half = zc_update(zc_astype(t, ZC_FLOAT16), first, zc_weak_int(ctx, 1), ZC_UPDATE_ADD);
    zc_tensor *gradient = zc_grad(zc_update(t, first, zc_astype(zc_add(first, two), ZC_FLOAT32), ZC_UPDATE_MAX), x);
    zc_tensor *sum = zc_add(zc_index(zc_index(gradient, 0, 1), 0, 0), zc_index(zc_index(half, 0, 0), 0, 0));
    return first_element(ctx, sum, 5);
}

static bool contracted(zc_context *ctx, zc_tensor *x)
{
    zc_tensor *t = zc_einsum(ctx, "ij,kj,...->ik...", 3, (const zc_tensor *const[]){x, x, zc_weak_int(ctx, 2)});
    t = zc_add(zc_matmul(t, x), zc_tensordot(x, x, 1, (const int[]){0}, (const int[]){0}));
    return first_element(ctx, zc_add(t, zc_vecdot(x, x, -1)), 71335);
}

/* Over four of six equal columns. */
static bool softmaxes(zc_context *ctx, zc_tensor *x)
{
    zc_tensor *equal = zc_slice(zc_multiply(x, zc_weak_int(ctx, 0)), 1, 0, 4, 1);
    zc_tensor *variance = zc_var(x, ZC_AXES(1), 0, true), *none = zc_log_softmax(zc_slice(x, 1, 0, 1, 1), 1);
    return first_element(ctx, zc_add(zc_add(zc_softmax(equal, 1), none), zc_multiply(variance, zc_weak_int(ctx, 6))),
                         0.25 + 17.5);
}

/* 6 are not zero; a length of 5; 105 on the diagonal; steps of 1; and zeros. */
static bool ranges(zc_context *ctx, zc_tensor *x)
{
    (void)x;
    zc_tensor *whole = zc_arange(ctx, 3, 9, 2, ZC_INT16), *real = zc_arange(ctx, 0, 1, 0.25, ZC_FLOAT32),
              *points = zc_linspace(ctx, 0, 3, 4, true, ZC_FLOAT64), *ones = zc_eye(ctx, 3, 4, 1, ZC_INT8);
    zc_tensor *sum = zc_add(zc_add(zc_sum(whole, ZC_ALL_AXES, false), zc_sum(real, ZC_ALL_AXES, false)),
                            zc_add(zc_sum(points, ZC_ALL_AXES, false), zc_sum(ones, ZC_ALL_AXES, false)));
    return first_element(ctx, sum, 3 + 5 + 7 + 1.5 + 6 + 3);
}

static bool statistics(zc_context *ctx, zc_tensor *x)
{
    zc_tensor *row = zc_index(x, 0, 0), *pair = zc_slice(row, 0, 3, 5, 1);
    zc_tensor *sum = zc_add(zc_count_nonzero(zc_add(row, zc_index(pair, 0, 0)), ZC_ALL_AXES, false),
                            zc_vector_norm(pair, ZC_ALL_AXES, false, 2));
    sum = zc_add(sum, zc_add(zc_trace(x, 0, 0, 1), zc_index(zc_diff(row, 0, 1), 0, 2)));
    sum = zc_add(sum, zc_add(zc_std(row, ZC_NO_AXES, 0, false), zc_outer(row, row)));
    return first_element(ctx, zc_add(sum, zc_logsumexp(zc_index(row, 0, 0), ZC_NO_AXES, false)), 6 + 5 + 105 + 1);
}

/* |z|^2 of 7 - 7i, a part of data, a variance and a length. */
static bool complex_numbers(zc_context *ctx, zc_tensor *x)
{
    zc_tensor *z = zc_complex(x, zc_negative(x)), *there = NULL;
    zc_tensor *square = zc_real(zc_multiply(zc_conj(zc_index(zc_index(z, 0, 1), 0, 1)), zc_weak_complex(ctx, 7, -7)));
    if (square == NULL || zc_materialize(z, &there) != ZC_OK)
        return false;
    zc_tensor *part = zc_imag(zc_index(zc_index(there, 0, 1), 0, 1)), *row = zc_slice(z, 1, 0, 1, 1);
    zc_tensor *spread = zc_add(zc_var(row, ZC_AXES(1), 0, false), zc_imag(x));
    zc_tensor *sum = zc_add(zc_add(square, part), zc_index(zc_index(spread, 0, 0), 0, 0));
    return first_element(ctx, zc_add(sum, zc_real(zc_vecdot(zc_index(row, 0, 1), zc_index(row, 0, 1), -1))),
                         98 - 7 + 72);
}

/* Scans something computed, seen backwards, and a scan, with its beginning. */
static bool scans(zc_context *ctx, zc_tensor *x)
{
    zc_tensor *sums = zc_cumulative_sum(zc_add(x, x), 0, false);
    zc_tensor *products = zc_cumulative_prod(zc_index(sums, 1, 1), 0, true);
    return first_element(ctx, zc_add(zc_flip(sums, ZC_AXES(0)), zc_index(products, 0, 2)), 180 + 32);
}

/* Windows that overlap, so that the gradient adds up in places. */
static bool scattered(zc_context *ctx, zc_tensor *x)
{
    zc_tensor *y = zc_square(zc_sliding_window_view(zc_index(x, 0, 0), ZC_SHAPE(3), ZC_AXES(0)));
    return first_element(ctx, zc_index(zc_index(zc_grad(y, x), 0, 0), 0, 2), 12);
}

static bool scattered_by_positions(zc_context *ctx, zc_tensor *x)
{
    zc_tensor *positions = zc_remainder(zc_multiply(zc_iota(ctx, 4), zc_weak_int(ctx, 3)), zc_weak_int(ctx, N));
    zc_tensor *y = zc_square(zc_take(zc_cumulative_sum(x, 0, false), positions, 1));
    return first_element(ctx, zc_index(zc_grad(y, x), 1, 3), 2 * 2 * (3 + 12 + 27 + 48 + 75 + 108));
}

/* Through a view that crosses rows, and again through its gradient. */
static bool gradients_of_gradients(zc_context *ctx, zc_tensor *x)
{
    zc_tensor *copy = zc_copy(x), *second = NULL;
    zc_tensor *crossing = zc_as_strided(copy, 1, (const int64_t[]){9}, (const int64_t[]){4}, 0);
    zc_tensor *first = zc_grad(zc_sum(zc_square(crossing), ZC_ALL_AXES, false), x);
    zc_tensor *columns = zc_sum(first, ZC_AXES(0), false);
    if (zc_vjp(columns, zc_index(x, 0, 1), 1, (const zc_tensor *const[]){x}, &second) != ZC_OK)
        return false;
    zc_tensor *taken = zc_take(x, zc_iota(ctx, 2), 0), *third = zc_grad(zc_grad(zc_square(taken), x), x);
    bool right = first_element(ctx, zc_add(zc_index(second, 0, 0), zc_index(third, 0, 1)), 14);
    zc_release(second);
    return right;
}

/* 0, 1 .. 5 multiplied: without the 0, twice over; running; and 6 cubed. */
static bool gradients_of_products(zc_context *ctx, zc_tensor *x)
{
    zc_tensor *row = zc_index(x, 0, 0), *six = zc_index(zc_index(x, 0, 1), 0, 0);
    zc_tensor *second = zc_grad(zc_grad(zc_prod(row, ZC_ALL_AXES, false), x), x);
    zc_tensor *running = zc_grad(zc_cumulative_prod(row, 0, false), x);
    zc_tensor *power = zc_grad(zc_prod(zc_broadcast_to(six, ZC_SHAPE(3)), ZC_ALL_AXES, false), six);
    zc_tensor *sum = zc_index(zc_index(zc_add(second, running), 0, 0), 0, 0);
    return first_element(ctx, zc_add(sum, power), 274 + 154 + 3 * 36);
}

/* By every kind of node that has a rule: of the mean of 36, twice their product, their largest, and parts of a row. */
static bool gradients_of_nodes(zc_context *ctx, zc_tensor *x)
{
    zc_tensor *row = zc_index(zc_add(x, zc_weak_int(ctx, 1)), 0, 0), *half = zc_astype(row, ZC_FLOAT16);
    zc_tensor *sum = zc_add(zc_mean(row, ZC_ALL_AXES, false), zc_max(row, ZC_ALL_AXES, false));
    sum = zc_add(sum, zc_prod(zc_slice(row, 0, 0, 2, 1), ZC_ALL_AXES, false));
    zc_tensor *joined = zc_concat(ctx, 2, (const zc_tensor *const[]){row, zc_cumulative_sum(row, 0, false)}, 0);
    sum = zc_add(sum, zc_sum(joined, ZC_ALL_AXES, false));
    zc_tensor *narrow = zc_sum(zc_sliding_window_view(half, ZC_SHAPE(2), ZC_AXES(0)), ZC_ALL_AXES, false);
    zc_tensor *gradient = zc_grad(zc_add(sum, zc_astype(narrow, ZC_FLOAT32)), x);
    return first_element(ctx, zc_multiply(zc_index(gradient, 0, 0), zc_weak_int(ctx, 6)), 61);
}

/* Integers that are taken to the dtype of sums, and a weak constant to an XLA element type. */
static bool converted(zc_context *ctx, zc_tensor *x)
{
    zc_tensor *small = zc_astype(zc_index(x, 0, 1), ZC_INT16);
    zc_tensor *added = zc_xla_binary(ZC_XLA_ADD, small, zc_weak_int(ctx, 1), ZC_NO_AXES);
    return first_element(ctx, zc_flip(zc_cumulative_sum(added, 0, false), ZC_AXES(0)), 57);
}

static bool mixed_integers(zc_context *ctx, zc_tensor *x)
{
    zc_tensor *bytes = zc_astype(x, ZC_UINT8), *beyond = zc_weak_int(ctx, 300);
    zc_tensor *is_less = zc_less(zc_astype(x, ZC_INT32), zc_astype(zc_add(x, x), ZC_UINT64));
    return first_element(ctx, zc_logical_or(is_less, zc_greater(zc_less(bytes, beyond), zc_less(beyond, bytes))), 1);
}

static bool compact(zc_context *ctx, zc_tensor *x)
{
    zc_tensor *out = NULL;
    zc_tensor *t = zc_sqrt(zc_broadcast_to(zc_index(x, 0, 0), ZC_SHAPE(1000, N)));
    bool right = zc_compact(t, &out) == ZC_OK && ((const float *)zc_data(out))[4] == 2.0f;
    cr_assert(right || zc_error_status(ctx) != ZC_OK);
    return right;
}

static bool into(zc_context *ctx, zc_tensor *x)
{
    float memory[N * N];
    bool right = zc_materialize_into(zc_negative(x), memory, sizeof memory, (const int64_t[]){1, N}, 0) == ZC_OK &&
                 memory[1] == -6.0f;
    cr_assert(right || zc_error_status(ctx) != ZC_OK);
    return right;
}

/* The target is what the result is computed from. */
static bool into_itself(zc_context *ctx, zc_tensor *x)
{
    (void)x;
    float memory[4] = {1, 2, 3, 4};
    zc_tensor *t = zc_import(ctx, ZC_FLOAT32, ZC_SHAPE(4), NULL, 0, memory, sizeof memory, NULL, NULL);
    bool right = zc_materialize_into(zc_flip(t, ZC_ALL_AXES), memory, sizeof memory, NULL, 0) == ZC_OK &&
                 memory[0] == 4.0f && memory[3] == 1.0f;
    cr_assert(right || zc_error_status(ctx) != ZC_OK);
    return right;
}

static bool explain(zc_context *ctx, zc_tensor *x)
{
    bool right = true;
    zc_cost cost;
    zc_tensor *t = zc_prod(zc_broadcast_to(zc_clip(x, zc_weak_int(ctx, 1), zc_weak_int(ctx, 2)), ZC_SHAPE(5, N, N)),
                           ZC_AXES(0, 2), false);
    for (int format = ZC_TEXT; format <= ZC_BRIEF && right; format++) {
        char *text = NULL;
        right = zc_explain(t, (zc_format)format, &text) == ZC_OK;
        cr_assert_eq(right, text != NULL);
        zc_text_free(ctx, text);
    }
    right = right && zc_cost_of(t, &cost) == ZC_OK && cost.logical_bytes == 4 * N;
    cr_assert(right || zc_error_status(ctx) != ZC_OK);
    return right;
}

static bool sorted(zc_context *ctx, zc_tensor *x)
{
    zc_tensor *out = NULL, *values = NULL, *index = NULL, *places[2] = {NULL};
    zc_tensor *bytes = zc_index(zc_astype(x, ZC_UINT8), 0, 1);
    bool right = zc_searchsorted(bytes, zc_weak_int(ctx, 300), false, NULL, &out) == ZC_OK &&
                 first_element(ctx, out, N) && zc_sort(zc_negative(x), 0, false, &out) == ZC_OK &&
                 zc_top_k(out, 2, 1, true, &values, &index) == ZC_OK &&
                 zc_unique_inverse(index, &values, &out) == ZC_OK && zc_nonzero(out, places) == ZC_OK &&
                 first_element(ctx, places[1], 1) && zc_median(x, ZC_AXES(0), false, true, &out) == ZC_OK &&
                 first_element(ctx, out, 15);
    cr_assert(right || zc_error_status(ctx) != ZC_OK, "a failure without a status");
    return right;
}

/* Through every call that keeps how its result was computed. */
static bool variables(zc_context *ctx, zc_tensor *x)
{
    zc_tensor *v = zc_variable(x), *out[7] = {NULL};
    const zc_tensor *const all[] = {zc_slice(v, 0, 1, N, 1), zc_sqrt(v), zc_slice(zc_exp(v), 0, 1, N, 1)};
    bool right = zc_sort(zc_square(v), 0, false, &out[0]) == ZC_OK && zc_compact(out[0], &out[1]) == ZC_OK &&
                 zc_top_k(zc_reshape(out[1], ZC_SHAPE(-1)), N * N, 0, true, &out[2], &out[3]) == ZC_OK &&
                 zc_unique_values(out[2], &out[4]) == ZC_OK &&
                 zc_unique_all(out[2], &out[4], &out[3], &out[5], &out[6]) == ZC_OK &&
                 zc_materialize_all(3, all, out) == ZC_OK;
    zc_tensor *sum = right ? zc_add(zc_sum(out[4], ZC_ALL_AXES, false), zc_sum(out[0], ZC_ALL_AXES, false)) : NULL;
    right = right && first_element(ctx, zc_index(zc_grad(sum, v), 0, 1), 13) &&
            first_element(ctx, zc_grad(zc_multiply(zc_stop_gradient(zc_exp(v)), v), v), 1);
    cr_assert(right || zc_error_status(ctx) != ZC_OK, "a failure without a status");
    return right;
}

/* Results that several calls need are bought, and temporaries with a handle stay. */
static bool keeping(zc_context *ctx, zc_tensor *x)
{
    zc_tensor *y = zc_exp(x), *product = zc_matmul(y, y), *sum = zc_sum(zc_add(product, y), ZC_ALL_AXES, false);
    double wanted = 0;
    bool right = true;
    for (int i = 0; i < 4 && right; i++) {
        zc_tensor *again = zc_add(sum, zc_multiply(zc_sum(product, ZC_ALL_AXES, false), zc_weak_float(ctx, 0))),
                  *out = NULL;
        right = zc_materialize(again, &out) == ZC_OK;
        const float *number = right ? zc_data(out) : NULL;
        wanted = i == 0 && right ? *number : wanted;
        right = right && *number == (float)wanted;
    }
    cr_assert(right || zc_error_status(ctx) != ZC_OK, "a failure without a status");
    return right;
}

/* Diagonals of what is computed: set by a vector, by one number beside the main one, and by a vector there; taken in
 * steps; and their gradient. */
static bool setting_diagonals(zc_context *ctx, zc_tensor *x)
{
    const zc_tensor *lazy = zc_add(x, zc_weak_float(ctx, 1)), *main = zc_diagonal(zc_places(x), 0, 0, 1);
    const zc_tensor *set = zc_update(lazy, main, zc_astype(main, ZC_FLOAT32), ZC_UPDATE_SET);
    const zc_tensor *above = zc_diagonal(zc_places(x), 1, 0, 1);
    const zc_tensor *one = zc_update(lazy, above, zc_weak_float(ctx, 3), ZC_UPDATE_SET);
    const zc_tensor *many = zc_update(lazy, above, zc_astype(above, ZC_FLOAT32), ZC_UPDATE_SET);
    const zc_tensor *numbers = zc_iota(ctx, N);
    const zc_tensor *taken = zc_gather(set, ZC_AXES(0, 1), (const zc_tensor *const[]){numbers, numbers});
    const zc_tensor *sum = zc_sum(taken, ZC_ALL_AXES, false); /* 0, N + 1, 2 N + 2 ... */
    const zc_tensor *slope = zc_grad(zc_sum(zc_diagonal(lazy, 0, 0, 1), ZC_ALL_AXES, false), lazy);
    bool right = slope != NULL && first_element(ctx, sum, (N + 1) * N * (N - 1) / 2);
    right = right && first_element(ctx, slope, 1) && first_element(ctx, zc_slice(one, 1, 1, 2, 1), 3);
    right = right && first_element(ctx, zc_slice(many, 1, 1, 2, 1), 1);
    cr_assert(right || zc_error_status(ctx) != ZC_OK, "a failure without a status");
    return right;
}

/* Updates write into the memory of what they update, one of whose old names is held. */
static bool taking_over(zc_context *ctx, zc_tensor *x)
{
    enum { SIZE = 512 };
    (void)x;
    zc_tensor *table = NULL, *old = NULL;
    bool right = zc_materialize(zc_astype(zc_iota(ctx, SIZE), ZC_FLOAT32), &table) == ZC_OK;
    table = zc_keep(table);
    for (int i = 1; i < 8 && right; i++) {
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *last = zc_slice(table, 0, i - 1, i, 1), *place = zc_slice(zc_places(table), 0, i, i + 1, 1);
        zc_tensor *next = zc_keep(zc_update(table, place, zc_add(last, zc_weak_float(ctx, 2)), ZC_UPDATE_SET));
        if (i == 4)
            old = zc_retain(table);
        zc_release(table);
        table = next;
        right = first_element(ctx, zc_slice(table, 0, i, i + 1, 1), 2 * i);
        zc_scope_end(scope);
    }
    right = right && first_element(ctx, zc_slice(old, 0, 4, 5, 1), 4);
    zc_release(table);
    zc_release(old);
    cr_assert(right || zc_error_status(ctx) != ZC_OK, "a failure without a status");
    return right;
}

static void path_of(char *path, size_t room, const char *name)
{
    (void)snprintf(path, room, "failures-%ld-%s.npy", (long)getpid(), name);
}

static bool files(zc_context *ctx, zc_tensor *x)
{
    char path[64];
    path_of(path, sizeof path, "saved");
    zc_npy_info npy;
    zc_file_info info;
    bool right = zc_npy_save(zc_add(x, x), path) == ZC_OK && zc_npy_read_info(ctx, path, &npy) == ZC_OK &&
                 first_element(ctx, zc_index(zc_npy_open(ctx, path), 0, 1), 12) &&
                 zc_save(zc_add(x, x), path) == ZC_OK && zc_read_info(ctx, path, &info) == ZC_OK &&
                 first_element(ctx, zc_index(zc_open(ctx, path), 0, 1), 12) &&
                 zc_save(zc_slice(x, 0, 0, 0, 1), path) == ZC_OK && zc_open(ctx, path) != NULL;
    cr_assert(right || zc_error_status(ctx) != ZC_OK);
    (void)unlink(path);
    return right;
}

/* Big-endian, so that opening has to make a copy. */
static bool foreign_file(zc_context *ctx, zc_tensor *x)
{
    (void)x;
    static const char header[] = "\x93NUMPY\x01\x00\x46\x00{'descr': '>i2', 'fortran_order': False, 'shape': (2,), }"
                                 "            \n";
    char path[64];
    path_of(path, sizeof path, "foreign");
    FILE *f = fopen(path, "wb");
    cr_assert_not_null(f);
    (void)fwrite(header, 1, 80, f);
    (void)fwrite("\x01\x02\x00\x07", 1, 4, f);
    (void)fclose(f);
    bool right = first_element(ctx, zc_npy_open(ctx, path), 258);
    (void)unlink(path);
    return right;
}

static scenario *const scenarios[] = {views,
                                      keeping,
                                      taking_over,
                                      setting_diagonals,
                                      lists,
                                      panels,
                                      packed_operands,
                                      side_by_side,
                                      overwriting,
                                      bits,
                                      chain,
                                      reductions,
                                      short_axes,
                                      windows,
                                      nearest,
                                      copies,
                                      cuts,
                                      mixed_integers,
                                      compact,
                                      into,
                                      into_itself,
                                      explain,
                                      files,
                                      foreign_file,
                                      sorted,
                                      variables,
                                      concats,
                                      pads,
                                      tiles,
                                      takes,
                                      places,
                                      contracted,
                                      statistics,
                                      ranges,
                                      complex_numbers,
                                      softmaxes,
                                      scans,
                                      scattered,
                                      scattered_by_positions,
                                      gradients_of_gradients,
                                      gradients_of_products,
                                      gradients_of_nodes,
                                      converted};

/* Checks that x holds what was put in, whatever failed in between. */
static void expect_input_intact(zc_tensor *x)
{
    const float *data = zc_data(x);
    for (int i = 0; i < N * N; i++)
        cr_assert_eq(data[i], (float)i);
}

/* One run with the k-th call failing; true when the scenario got through. */
static bool run_once(scenario *run, int64_t k, bool is_sticky, zc_executor executor)
{
    zc_failing state = {.fail_at = k, .is_sticky = is_sticky};
    zc_allocator allocator = zc_failing_allocator(&state);
    zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator, .threads = 2, .executor = executor});
    bool right = false;
    if (ctx != NULL) {
        zc_scope *scope = zc_scope_begin(ctx);
        float values[N * N];
        for (int i = 0; i < N * N; i++)
            values[i] = (float)i;
        zc_tensor *x = scope == NULL ? NULL : zc_from_data(ctx, ZC_FLOAT32, ZC_SHAPE(N, N), values, sizeof values);
        if (x != NULL) {
            right = run(ctx, x);
            expect_input_intact(x);
            state.fail_at = 0; /* memory is back: the same must work now */
            zc_error_clear(ctx);
            cr_assert(run(ctx, x), "call %ld failed once, and nothing worked afterwards: %s", (long)k,
                      zc_error_text(ctx));
        } else {
            cr_assert_eq(zc_error_status(ctx), ZC_ERROR_MEMORY);
        }
        zc_scope_end(scope);
        zc_context_free(ctx);
    }
    cr_assert_eq(state.blocks, 0, "%ld blocks are left after call %ld failed", (long)state.blocks, (long)k);
    cr_assert_eq(state.faults, 0, "%ld blocks came back wrong", (long)state.faults);
    return right;
}

static void run_all(bool is_sticky, zc_executor executor)
{
    int64_t failures = 0;
    for (size_t s = 0; s < sizeof scenarios / sizeof *scenarios; s++) {
        int64_t k = 1;
        while (!run_once(scenarios[s], k, is_sticky, executor)) {
            cr_assert_lt(k, MOST_CALLS, "scenario %zu never gets through", s);
            k += zc_test_stride();
        }
        failures += k - 1;
    }
    cr_log_info("%ld failures injected", (long)failures);
    cr_assert_gt(failures, 300);
}

Test(failures, one_allocation_fails_in_turn)
{
    run_all(false, ZC_EXECUTOR_TILE);
}

/* Pieces, picks and refined domains of many axes over a chain of so many operations: its length moves the places where
 * a plan's memory ends. */
static bool plan_of(zc_context *ctx, int length)
{
    int64_t shape[40];
    for (int a = 0; a < 40; a++)
        shape[a] = a < 38 ? 1 : 6;
    zc_tensor *x = zc_reshape(zc_iota(ctx, 36), 40, shape), *y = zc_swapaxes(x, -1, -2);
    for (int i = 0; i < length; i++)
        x = zc_add(x, i % 2 == 0 ? y : zc_weak_int(ctx, i));
    zc_tensor *row = zc_concat(ctx, 3, (const zc_tensor *const[]){x, zc_negative(y), x}, 38);
    row = zc_slice(row, 38, 5, 11, 1);
    zc_tensor *taken = zc_take_along_axis(row, zc_remainder(zc_take_along_axis(x, y, 38), zc_weak_int(ctx, 6)), 39);
    zc_tensor *flat = zc_reshape(zc_add(x, y), ZC_SHAPE(36)), *tiled = zc_tile(flat, 1, (const int64_t[]){35});
    zc_tensor *crossed = zc_add(tiled, zc_tile(zc_iota(ctx, 35), 1, (const int64_t[]){36}));
    zc_tensor *sum = zc_add(zc_sum(taken, ZC_ALL_AXES, false), zc_argmax(zc_add(flat, flat), ZC_ALL_AXES, false));
    zc_cost cost;
    return zc_cost_of(zc_add(sum, crossed), &cost) == ZC_OK;
}

/* A chain of so many operations, each of two operands, and its gradient. */
static bool gradient_of(zc_context *ctx, int length)
{
    zc_tensor *x = zc_astype(zc_iota(ctx, 3), ZC_FLOAT64), *y = x, *z = zc_exp(x);
    for (int i = 0; i < length; i++)
        y = zc_multiply(y, zc_sin(i % 2 == 0 ? z : y));
    return zc_grad(y, x) != NULL;
}

/* Every allocation of a call fails in turn, behind one that got through. */
static void fail_in_turn(bool (*run)(zc_context *ctx, int length), int length)
{
    bool done = false;
    for (int64_t k = 1; !done; k += zc_test_stride()) {
        zc_failing state = {0};
        zc_allocator allocator = zc_failing_allocator(&state);
        zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator, .threads = 1});
        zc_scope *scope = zc_scope_begin(ctx);
        cr_assert(run(ctx, length), "%s", zc_error_text(ctx));
        state.fail_at = state.calls + k;
        done = run(ctx, length);
        cr_assert(done || zc_error_status(ctx) == ZC_ERROR_MEMORY, "%s", zc_error_text(ctx));
        zc_scope_end(scope);
        zc_context_free(ctx);
        cr_assert(state.blocks == 0 && state.faults == 0, "blocks are left");
    }
}

Test(failures, plans_of_any_length_fail_cleanly)
{
    for (int length = 0; length < 20; length++)
        fail_in_turn(plan_of, length);
}

Test(failures, gradients_of_any_length_fail_cleanly)
{
    zc_skip_of_one_thread();
    for (int length = 0; length < 36; length++)
        fail_in_turn(gradient_of, length);
}

/* Contractions of factors that have axes alone, of truths and of nothing but repetitions, with their gradients, updates
 * by numbers, and gradients by windows and seen where rows are crossed. */
static bool contraction_of(zc_context *ctx, int length)
{
    zc_tensor *x = zc_astype(zc_reshape(zc_iota(ctx, 36), ZC_SHAPE(6, 6)), ZC_FLOAT64), *t = zc_greater(x, x);
    const zc_tensor *const factors[] = {x, x, x}, *const truths[] = {t, t};
    zc_tensor *y = zc_einsum(ctx, "ij,ik,il->i", 3, factors), *all = zc_einsum(ctx, "ij,jk->ik", 2, truths);
    for (int i = 0; i < length; i++)
        y = zc_add(y, x);
    zc_tensor *updated =
        zc_update(y, zc_astype(zc_add(zc_iota(ctx, 3), zc_iota(ctx, 3)), ZC_INT8), zc_weak_int(ctx, 1), ZC_UPDATE_ADD);
    zc_tensor *e = zc_exp(x),
              *sums = zc_sum(zc_multiply(zc_sum(e, ZC_AXES(0), false), zc_iota(ctx, 6)), ZC_ALL_AXES, false);
    zc_tensor *crossed = zc_grad(sums, zc_reshape(e, ZC_SHAPE(36))), *gradient = zc_grad(zc_matmul(y, x), x);
    const zc_tensor *const seen[] = {zc_sliding_window_view(x, ZC_SHAPE(2), ZC_AXES(0)), zc_slice(x, 0, 0, 2, 1)};
    zc_tensor *windows = zc_grad(zc_sum(zc_einsum(ctx, "ijk,kj->i", 2, seen), ZC_ALL_AXES, false), x);
    return all != NULL && windows != NULL && zc_vecdot(zc_iota(ctx, 6), zc_iota(ctx, 6), -1) != NULL &&
           updated != NULL && crossed != NULL && gradient != NULL;
}

Test(failures, contractions_of_any_length_fail_cleanly)
{
    for (int length = 0; length < 3; length++)
        fail_in_turn(contraction_of, length);
}

/* Without a scope nobody else releases what a failing call had made already. */
Test(failures, lists_leave_nothing_behind)
{
    bool done = false;
    for (int64_t k = 1; !done; k++) {
        zc_failing state = {.fail_at = k};
        zc_allocator allocator = zc_failing_allocator(&state);
        zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator, .threads = 1});
        zc_tensor *x = zc_iota(ctx, 4), *parts[4], *halves[2], *shown[2];
        bool has_parts = zc_unstack(x, 0, 4, parts) == ZC_OK;
        bool has_halves = zc_split(x, 0, 2, NULL, halves) == ZC_OK;
        bool is_shown = zc_broadcast_arrays(2, (const zc_tensor *const[]){x, x}, shown) == ZC_OK;
        done = has_parts && has_halves && is_shown;
        cr_assert(done || ctx == NULL || zc_error_status(ctx) == ZC_ERROR_MEMORY);
        for (int i = 0; i < 4 && x != NULL; i++) {
            zc_release(parts[i]);
            zc_release(i < 2 ? halves[i] : shown[i - 2]);
        }
        zc_release(x);
        zc_context_free(ctx);
        cr_assert(state.blocks == 0 && state.faults == 0, "%ld blocks are left after call %ld failed",
                  (long)state.blocks, (long)k);
    }
}

Test(failures, all_allocations_fail_from_one_on)
{
    run_all(true, ZC_EXECUTOR_TILE);
}

Test(failures, reference_executor_fails_cleanly_too)
{
    zc_skip_of_one_thread();
    run_all(false, ZC_EXECUTOR_REFERENCE);
}
