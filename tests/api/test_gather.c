/*
 * Gather: elements at positions along several axes. Random requests are compared with an oracle that walks the result
 * index by index; what is refused, and what is told of positions that lie outside.
 */
#include <string.h>

#include "tests/api/values.h"
#include "tests/support/random.h"

enum { MOST_AXES = 5, MOST_ELEMENTS = 4096, ROUNDS = 300 };

/* ---- The oracle ---- */

typedef struct array {
    int rank;
    int64_t shape[2 * MOST_AXES + 4];
    int64_t size;
    int64_t element[MOST_ELEMENTS];
} array;

static int64_t size_of(int rank, const int64_t *shape)
{
    int64_t size = 1;
    for (int a = 0; a < rank; a++)
        size *= shape[a];
    return size;
}

static int64_t at(const array *x, const int64_t *index)
{
    int64_t number = 0;
    for (int a = 0; a < x->rank; a++)
        number = number * x->shape[a] + index[a];
    return x->element[number];
}

/* Element `index` of what `from` is when it is broadcast to that rank. */
static int64_t at_broadcast(const array *from, int rank, const int64_t *index)
{
    int64_t own[2 * MOST_AXES + 4] = {0};
    for (int a = 0; a < from->rank; a++)
        own[a] = from->shape[a] == 1 ? 0 : index[rank - from->rank + a];
    return at(from, own);
}

/* NumPy's rule: the axes of the positions stand in the place of the taken ones when no other lies between, else first.
 */
static int place_of(const int *axes, int count)
{
    int low = axes[0], high = axes[0];
    for (int i = 1; i < count; i++) {
        low = axes[i] < low ? axes[i] : low;
        high = axes[i] > high ? axes[i] : high;
    }
    return high - low == count - 1 ? low : 0;
}

static bool is_taken(const int *axes, int count, int axis)
{
    for (int i = 0; i < count; i++) {
        if (axes[i] == axis)
            return true;
    }
    return false;
}

static void gather(const array *x, int count, const int *axes, const array *positions, int rank, const int64_t *shape,
                   array *out)
{
    int place = place_of(axes, count), kept = 0;
    for (int p = 0; p < rank; p++)
        out->shape[place + p] = shape[p];
    for (int a = 0; a < x->rank; a++) {
        if (!is_taken(axes, count, a))
            out->shape[kept + (kept >= place ? rank : 0)] = x->shape[a];
        kept += !is_taken(axes, count, a);
    }
    out->rank = kept + rank;
    out->size = size_of(out->rank, out->shape);
    int64_t index[2 * MOST_AXES + 4] = {0};
    for (int64_t i = 0; i < out->size && i < MOST_ELEMENTS; i++) {
        int64_t rest = i, from[MOST_AXES];
        for (int a = out->rank - 1; a >= 0; a--) {
            index[a] = rest % out->shape[a];
            rest /= out->shape[a];
        }
        for (int a = 0, next = 0; a < x->rank; a++) {
            next += next == place ? rank : 0;
            if (!is_taken(axes, count, a))
                from[a] = index[next++];
        }
        for (int k = 0; k < count; k++) {
            int64_t position = at_broadcast(&positions[k], rank, index + place);
            from[axes[k]] = position < 0 ? position + x->shape[axes[k]] : position;
        }
        out->element[i] = at(x, from);
    }
}

/* ---- Random requests ---- */

static int pick(int count)
{
    return (int)zc_random_range(0, count - 1);
}

/* Reads the elements that the library computes for t alone. */
static void read_array(const zc_tensor *t, array *out)
{
    zc_tensor *dense = NULL, *copy = zc_copy(zc_astype(t, ZC_INT64));
    cr_assert_eq(zc_materialize(copy, &dense), ZC_OK);
    out->rank = zc_rank(t);
    memcpy(out->shape, zc_shape(t), (size_t)out->rank * sizeof(int64_t));
    out->size = zc_size(t);
    cr_assert_leq(out->size, MOST_ELEMENTS);
    if (out->size > 0)
        memcpy(out->element, zc_data(dense), (size_t)out->size * sizeof(int64_t));
    zc_release(dense);
}

/* Data, or something to be computed, seen as it stands, permuted, backwards, in steps, or repeated. */
static zc_tensor *make_operand(bench b, int rank)
{
    int64_t shape[MOST_AXES];
    int order[MOST_AXES], axis = pick(rank);
    for (int a = 0; a < rank; a++) {
        shape[a] = zc_random_range(1, 4);
        order[a] = (a + 1) % rank;
    }
    zc_tensor *x = count_to(b, rank, shape);
    if (zc_random_bool())
        x = zc_multiply(x, zc_weak_int(b.ctx, 3));
    switch (pick(5)) {
    case 0:
        return zc_permute_dims(x, rank, order);
    case 1:
        return zc_flip(x, 1, &axis);
    case 2:
        return zc_slice(x, axis, 0, ZC_NONE, 2);
    case 3:
        shape[axis] = 3;
        return zc_broadcast_to(zc_slice(x, axis, 0, 1, 1), rank, shape);
    default:
        return x;
    }
}

/* Positions of a shape that broadcasts to *shape, of any integer dtype, computed or not. */
static zc_tensor *make_positions(bench b, int64_t extent, int rank, const int64_t *shape)
{
    static const zc_dtype dtypes[] = {ZC_INT64, ZC_INT32, ZC_INT8, ZC_UINT8, ZC_UINT64};
    zc_dtype dtype = dtypes[pick(5)];
    bool is_signed = dtype != ZC_UINT8 && dtype != ZC_UINT64;
    int64_t own[3], element[64];
    int own_rank = rank == 0 ? 0 : (int)zc_random_range(0, rank);
    for (int a = 0; a < own_rank; a++)
        own[a] = pick(4) == 0 ? 1 : shape[rank - own_rank + a];
    int64_t size = size_of(own_rank, own);
    for (int64_t i = 0; i < size; i++)
        element[i] = zc_random_range(is_signed ? -extent : 0, extent - 1);
    zc_tensor *t = zc_from_data(b.ctx, ZC_INT64, own_rank, own, element, (size_t)size * sizeof *element);
    t = zc_astype(t, dtype);
    return zc_random_bool() ? zc_positive(t) : t;
}

/* t seen through a view that turns it or leaves some of it out. */
static zc_tensor *see(zc_tensor *t, int axis, int way)
{
    if (zc_rank(t) == 0 || way == 0)
        return t;
    return way == 1 ? zc_flip(t, 1, &axis) : zc_slice(zc_swapaxes(t, 0, axis), axis, 1, ZC_NONE, 2);
}

static void compare(zc_tensor *t, const array *wanted)
{
    static array got;
    cr_assert_not_null(t);
    expect_shape(t, wanted->rank, wanted->shape);
    read_array(t, &got);
    cr_assert_eq(memcmp(got.element, wanted->element, (size_t)wanted->size * sizeof(int64_t)), 0);
}

static void check_one(bench b)
{
    static array x, positions[MOST_AXES], wanted, seen;
    zc_scope *scope = zc_scope_begin(b.ctx);
    int rank = 1 + pick(MOST_AXES), count = 1 + pick(rank), axes[MOST_AXES], given[MOST_AXES];
    int64_t shape[3];
    int shape_rank = pick(4);
    const zc_tensor *tensors[MOST_AXES];
    zc_tensor *t = make_operand(b, rank);
    for (int a = 0; a < shape_rank; a++)
        shape[a] = zc_random_range(1, 4);
    bool is_full[3] = {false};
    for (int i = 0; i < count; i++) {
        do
            axes[i] = pick(rank);
        while (is_taken(axes, i, axes[i]));
        given[i] = zc_random_bool() ? axes[i] : axes[i] - rank;
        tensors[i] = make_positions(b, zc_shape(t)[axes[i]], shape_rank, shape);
        for (int a = 0; a < zc_rank(tensors[i]); a++)
            is_full[shape_rank - zc_rank(tensors[i]) + a] |= zc_shape(tensors[i])[a] > 1;
    }
    /* Positions may broadcast to less than they were drawn from. */
    int most = 0;
    for (int i = 0; i < count; i++) {
        read_array(tensors[i], &positions[i]);
        most = positions[i].rank > most ? positions[i].rank : most;
    }
    for (int a = 0; a < most; a++)
        shape[a] = is_full[shape_rank - most + a] ? shape[shape_rank - most + a] : 1;
    read_array(t, &x);
    gather(&x, count, axes, positions, most, shape, &wanted);
    if (wanted.size <= MOST_ELEMENTS) {
        zc_tensor *result = zc_gather(t, count, given, tensors);
        cr_assert_not_null(result, "%s", zc_error_text(b.ctx));
        compare(result, &wanted);
        zc_tensor *stored = NULL; /* of what is stored a view shows what it shows of what is not */
        int axis = wanted.rank > 0 ? pick(wanted.rank) : 0, way = pick(3);
        cr_assert_eq(zc_materialize(result, &stored), ZC_OK);
        read_array(see(stored, axis, way), &seen);
        compare(see(zc_gather(t, count, given, tensors), axis, way), &seen);
        zc_release(stored);
    }
    zc_scope_end(scope);
}

Test(gather, is_what_the_oracle_says)
{
    zc_random_begin("gather/oracle");
    for (int executor = 0; executor < 2; executor++) {
        bench b = begin_with((zc_options){.threads = 1 + executor, .executor = (zc_executor)executor});
        for (int i = 0; i < zc_test_count(ROUNDS); i++)
            check_one(b);
        finish(b);
    }
}

/* ---- Views and gradients ---- */

/* A view of a gather shows what the same view shows of its elements in memory. */
Test(gather, views_of_it_compute_what_they_show)
{
    bench b = begin();
    zc_tensor *x = count_to(b, ZC_SHAPE(4, 5, 6)), *p = OF(b.ctx, ZC_INT64, 3, 0, -1, 2),
              *q = zc_reshape(OF(b.ctx, ZC_INT64, 4, -5), ZC_SHAPE(2, 1));
    const zc_tensor *const both[] = {p, q};
    zc_tensor *g = zc_gather(zc_exp(x), ZC_AXES(0, 2), both), *stored = NULL;
    expect_shape(g, ZC_SHAPE(2, 4, 5));
    cr_assert_eq(zc_materialize(zc_gather(zc_exp(x), ZC_AXES(0, 2), both), &stored), ZC_OK);
    for (int64_t i = 0; i < 40; i++)
        cr_assert_eq(value_at(zc_permute_dims(g, ZC_AXES(2, 0, 1)), i),
                     value_at(zc_permute_dims(stored, ZC_AXES(2, 0, 1)), i));
    cr_assert_eq(value_at(zc_index(zc_slice(g, 1, 3, ZC_NONE, -2), 0, 1), 7),
                 value_at(zc_index(zc_slice(stored, 1, 3, ZC_NONE, -2), 0, 1), 7));
    cr_assert_eq(value_at(zc_sum(g, ZC_ALL_AXES, false), 0), value_at(zc_sum(stored, ZC_ALL_AXES, false), 0));
    zc_release(stored);
    finish(b);
}

/* Each element gains what came out at all of its places. */
Test(gather, gradients_add_up_where_elements_were_taken)
{
    bench b = begin();
    zc_tensor *x = zc_astype(count_to(b, ZC_SHAPE(3, 2, 3)), ZC_FLOAT64);
    zc_tensor *p = OF(b.ctx, ZC_INT64, 2, 0, -1, 2), *q = OF(b.ctx, ZC_INT32, 1, 0, 1, -2);
    const zc_tensor *const both[] = {p, q};
    zc_tensor *g = zc_gather(zc_permute_dims(x, ZC_AXES(2, 1, 0)), ZC_AXES(0, 1), both);
    /* y = x[:, q, p].T: (2, 1) twice, (0, 0) once, (2, 0) once. */
    zc_tensor *weights = zc_add(count_to(b, ZC_SHAPE(4, 3)), zc_weak_int(b.ctx, 1));
    zc_tensor *gradient = zc_grad(zc_multiply(g, zc_astype(weights, ZC_FLOAT64)), x);
    EXPECT(gradient, 4, 0, 10, 0, 0, 1 + 7, 5, 0, 11, 0, 0, 2 + 8, 6, 0, 12, 0, 0, 3 + 9);
    zc_tensor *cubes = zc_grad(zc_multiply(zc_square(g), g), x);
    EXPECT(zc_grad(cubes, x), 0, 0, 12, 0, 0, 60, 36, 0, 48, 0, 0, 132, 72, 0, 84, 0, 0, 204);
    finish(b);
}

Test(gather, takes_more_axes_than_a_load_has_positions_for)
{
    bench b = begin();
    zc_tensor *x = count_to(b, ZC_SHAPE(2, 3, 2, 3, 2, 3)), *p = OF(b.ctx, ZC_INT64, 1, 0, -1);
    const zc_tensor *const six[] = {p, p, p, p, p, p};
    EXPECT(zc_gather(x, ZC_ALL_AXES, six), 172, 0, 215);
    const int backward[] = {0, 2, 5};
    zc_tensor *turned = zc_flip(zc_negative(x), 3, backward);
    EXPECT(zc_gather(turned, ZC_ALL_AXES, six), -46, -128, -87);
    zc_tensor *floats = zc_astype(x, ZC_FLOAT64), *gradient = zc_grad(zc_gather(floats, ZC_ALL_AXES, six), floats);
    cr_assert_eq(value_at(zc_sum(gradient, ZC_ALL_AXES, false), 0), 3);
    cr_assert_eq(value_at(gradient, 172), 1);
    cr_assert_eq(value_at(gradient, 215), 1);
    finish(b);
}

/* As many loads below it as a domain has axes: none of them needs an axis of its own. */
Test(gather, takes_several_axes_of_a_sum_of_many_tensors)
{
    bench b = begin();
    double one[16];
    for (int i = 0; i < 16; i++)
        one[i] = i;
    zc_tensor *sum = zc_from_data(b.ctx, ZC_FLOAT64, ZC_SHAPE(2, 2, 2, 2), one, sizeof one);
    for (int i = 0; i < 70; i++)
        sum = zc_add(sum, zc_from_data(b.ctx, ZC_FLOAT64, ZC_SHAPE(2, 2, 2, 2), one, sizeof one));
    const zc_tensor *const positions[] = {OF(b.ctx, ZC_INT64, 1, 0), OF(b.ctx, ZC_INT64, 0, 1),
                                          OF(b.ctx, ZC_INT64, 1, 1), OF(b.ctx, ZC_INT64, 0, -1)};
    EXPECT(zc_gather(sum, ZC_ALL_AXES, positions), 71 * (8 + 2), 71 * (4 + 2 + 1));
    finish(b);
}

/* Domains that have all axes there are, or room for one of two gathers. */
Test(gather, takes_of_the_highest_rank)
{
    bench b = begin();
    int64_t shape[64];
    for (int a = 0; a < 64; a++)
        shape[a] = a < 4 ? 2 : 1;
    zc_tensor *x = zc_reshape(count_to(b, ZC_SHAPE(16)), 64, shape);
    zc_tensor *one = OF(b.ctx, ZC_INT64, 1);
    const zc_tensor *const four[] = {zc_index(one, 0, 0), zc_index(one, 0, 0), zc_index(one, 0, 0),
                                     zc_index(one, 0, 0)};
    EXPECT(zc_gather(x, ZC_AXES(0, 1, 2, 3), four), 15);
    for (int a = 0; a < 4; a++)
        shape[a] = a == 0 ? 4 : 1;
    zc_tensor *line = zc_reshape(count_to(b, ZC_SHAPE(4)), 63, shape);
    zc_tensor *taken = zc_take(line, OF(b.ctx, ZC_INT64, 0, 3, 1, 1), 0);
    EXPECT(zc_subtract(taken, zc_flip(taken, ZC_AXES(0))), -1, 2, -2, 1);
    finish(b);
}

/* ---- Refusals ---- */

static void expect_stray(bench b, const zc_tensor *t, const char *sentence)
{
    zc_tensor *out = NULL;
    cr_assert_not_null(t, "%s", zc_error_text(b.ctx));
    cr_assert_eq(zc_materialize(t, &out), ZC_ERROR_INDEX);
    cr_assert_null(out);
    cr_assert_str_eq(zc_error_text(b.ctx), sentence);
    zc_error_clear(b.ctx);
}

Test(gather, positions_outside_are_told_with_their_axis)
{
    for (int executor = 0; executor < 2; executor++) {
        bench b = begin_with((zc_options){.threads = 2, .executor = (zc_executor)executor});
        zc_tensor *x = count_to(b, ZC_SHAPE(4, 3, 4)), *good = OF(b.ctx, ZC_INT64, 3, -4, 0), *p;
        p = OF(b.ctx, ZC_INT64, 2, 3, -4);
        expect_stray(b, zc_gather(x, 2, (const int[]){0, 1}, (const zc_tensor *const[]){good, p}),
                     "gather: position -4 is out of bounds for axis 1 of size 3");
        expect_stray(b, zc_gather(x, 2, (const int[]){1, 2}, (const zc_tensor *const[]){good, good}),
                     "gather: position -4 is out of bounds for axis 1 of size 3");
        expect_stray(b, zc_sum(zc_gather(x, 1, (const int[]){-2}, (const zc_tensor *const[]){p}), ZC_ALL_AXES, false),
                     "gather: position -4 is out of bounds for axis 1 of size 3");
        zc_tensor *same = zc_broadcast_to(zc_weak_int(b.ctx, 1), ZC_SHAPE(4, 3, 4));
        expect_stray(b, zc_gather(same, 3, (const int[]){0, 1, 2}, (const zc_tensor *const[]){good, p, good}),
                     "gather: position -4 is out of bounds for axis 1 of size 3");
        finish(b);
    }
}

Test(gather, refuses_what_it_cannot_take)
{
    bench b = begin(), other = begin();
    zc_tensor *x = count_to(b, ZC_SHAPE(2, 3)), *p = OF(b.ctx, ZC_INT64, 0, 1), *three = OF(b.ctx, ZC_INT64, 0, 1, 0),
              *none = zc_slice(x, 1, 0, 0, 1), *foreign = zc_iota(other.ctx, 2);
    const zc_tensor *const pair[] = {p, p}, *const unlike[] = {p, three}, *const floats[] = {p, zc_exp(p)},
                           *const apart[] = {foreign, p}, *const missing[] = {p, NULL};
    expect_refused(b, zc_gather(x, ZC_AXES(0, 2), pair), ZC_ERROR_AXIS, "gather: axis 2 is out of bounds for rank 2");
    expect_refused(b, zc_gather(x, ZC_AXES(1, -1), pair), ZC_ERROR_ARGUMENT, "gather: axis 1 is named twice");
    expect_refused(b, zc_gather(x, 3, (const int[]){0, 1, 2}, pair), ZC_ERROR_ARGUMENT,
                   "gather: a list of 3 axes and positions is no list for rank 2");
    expect_refused(b, zc_gather(x, -2, (const int[]){0, 1}, pair), ZC_ERROR_ARGUMENT,
                   "gather: a list of -2 axes and positions is no list for rank 2");
    expect_refused(b, zc_gather(x, ZC_AXES(0), NULL), ZC_ERROR_ARGUMENT,
                   "gather: a list of 1 axes and positions is no list for rank 2");
    expect_refused(b, zc_gather(x, 1, NULL, pair), ZC_ERROR_ARGUMENT,
                   "gather: a list of 1 axes and positions is no list for rank 2");
    expect_refused(b, zc_gather(x, ZC_ALL_AXES, floats), ZC_ERROR_DTYPE, "gather: positions are integers, not float64");
    expect_refused(b, zc_gather(x, ZC_ALL_AXES, apart), ZC_ERROR_ARGUMENT,
                   "gather: operands belong to different contexts; zc_adopt brings them together");
    expect_refused(b, zc_gather(none, ZC_ALL_AXES, pair), ZC_ERROR_INDEX,
                   "gather: there is no element to take: axis 1 of shape (2, 0), positions of shape (2,)");
    cr_assert_null(zc_gather(x, ZC_ALL_AXES, unlike));
    cr_assert_eq(zc_error_status(b.ctx), ZC_ERROR_SHAPE);
    zc_error_clear(b.ctx);
    expect_refused(b, zc_gather(x, ZC_ALL_AXES, missing), ZC_ERROR_ARGUMENT, "gather: positions[1] is NULL");
    cr_assert_null(zc_gather(NULL, ZC_ALL_AXES, pair));
    cr_assert_eq(zc_error_status(b.ctx), ZC_OK);
    EXPECT(zc_gather(x, 0, NULL, NULL), 0, 1, 2, 3, 4, 5);
    int64_t ones[64];
    for (int a = 0; a < 64; a++)
        ones[a] = 1;
    const zc_tensor *const deep[] = {zc_broadcast_to(zc_weak_int(b.ctx, 0), 64, ones)};
    cr_assert_null(zc_gather(x, ZC_AXES(0), deep));
    cr_assert_eq(zc_error_status(b.ctx), ZC_ERROR_SHAPE);
    zc_error_clear(b.ctx);
    finish(b);
    finish(other);
}

Test(gather, of_places_numbers_what_is_updated)
{
    bench b = begin();
    zc_tensor *square = zc_reshape(zc_astype(zc_iota(b.ctx, 6), ZC_INT64), ZC_SHAPE(2, 3));
    zc_tensor *rows = OF(b.ctx, ZC_INT64, 1, 0);
    /* Taken of other numbers, and along two axes with as many axes as leave room for one. */
    zc_tensor *numbers = OF(b.ctx, ZC_INT64, 5, 4, 3);
    EXPECT(zc_update(square, zc_take(numbers, rows, 0), zc_weak_int(b.ctx, 9), ZC_UPDATE_SET), 0, 1, 2, 3, 9, 9);
    const zc_tensor *const both[] = {rows, rows};
    int64_t shape[ZC_MAX_RANK];
    for (int a = 0; a < ZC_MAX_RANK; a++)
        shape[a] = a == 0 ? 2 : 1;
    zc_tensor *corners = zc_reshape(zc_gather(zc_places(square), ZC_ALL_AXES, both), ZC_MAX_RANK - 1, shape);
    EXPECT(zc_update(square, corners, zc_weak_int(b.ctx, 9), ZC_UPDATE_SET), 9, 1, 2, 3, 9, 5);
    finish(b);
}
