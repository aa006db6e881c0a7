/*
 * Chains of updates, each of the tensor that the one before made, with values that are read from any of them, at any
 * places, before and after they are written over: every result is what a loop over arrays makes of the same program.
 *
 * Formula: element i of a window is element begin + i * step along each axis; an update at a window or at positions
 * puts value after value in row-major order.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

enum { ROUNDS = 4000, RANK = 3, MOST_SIZE = 400, MOST_VERSIONS = 24, MOST_RESULTS = 12 };

typedef struct table {
    zc_tensor *lazy;
    int64_t *data; /* [size] */
    int64_t shape[RANK], size;
} table;

typedef struct program {
    zc_context *ctx;
    zc_scope *scope;
    int rank;
    table versions[MOST_VERSIONS], results[MOST_RESULTS];
    int version_count, result_count;
} program;

static table new_table(int rank, const int64_t *shape)
{
    table t = {.size = 1};
    for (int a = 0; a < rank; a++) {
        t.shape[a] = shape[a];
        t.size *= shape[a];
    }
    t.data = calloc((size_t)t.size + 1, sizeof *t.data);
    cr_assert_not_null(t.data);
    return t;
}

/* ---- Windows ---- */

typedef struct window {
    int64_t begin[RANK], step[RANK], count[RANK];
} window;

static window draw_window(int rank, const int64_t *shape)
{
    window w;
    for (int a = 0; a < rank; a++) {
        const bool is_whole = zc_random_range(0, 2) == 0, is_row = zc_random_range(0, 2) == 0;
        const int64_t stride = zc_random_range(0, 3) == 0 ? 2 : 1;
        const int64_t first = is_whole ? 0 : zc_random_range(0, shape[a] - 1);
        const int64_t most = (shape[a] - 1 - first) / stride + 1;
        w.count[a] = is_whole ? most : is_row ? 1 : zc_random_range(1, most);
        const bool is_reversed = zc_random_range(0, 3) == 0;
        w.begin[a] = is_reversed ? first + (w.count[a] - 1) * stride : first;
        w.step[a] = is_reversed ? -stride : stride;
    }
    return w;
}

/* A window of the same shape somewhere, or of a single coordinate where it broadcasts; of axes in this order. */
static window draw_like(int rank, const int64_t *shape, const window *like)
{
    window w;
    for (int a = 0; a < rank; a++) {
        w.count[a] = zc_random_range(0, 7) == 0 ? 1 : like->count[a];
        int64_t step = zc_random_bool() ? like->step[a] : zc_random_bool() ? 1 : -1;
        if ((w.count[a] - 1) * llabs(step) >= shape[a])
            step = 1;
        const int64_t reach = (w.count[a] - 1) * llabs(step);
        const int64_t first =
            zc_random_bool() && llabs(step) == llabs(like->step[a]) && reach > 0
                ? (like->step[a] < 0 ? like->begin[a] + (like->count[a] - 1) * like->step[a] : like->begin[a])
                : zc_random_range(0, shape[a] - 1 - reach);
        w.begin[a] = step < 0 ? first + reach : first;
        w.step[a] = step;
    }
    return w;
}

static zc_tensor *show(const zc_tensor *t, int rank, const window *w)
{
    zc_tensor *shown = zc_slice(t, 0, 0, ZC_NONE, 1);
    for (int a = 0; a < rank; a++) {
        const int64_t last = w->begin[a] + (w->count[a] - 1) * w->step[a];
        const int64_t stop = w->step[a] > 0 ? last + 1 : last == 0 ? ZC_NONE : last - 1;
        shown = zc_slice(shown, a, w->begin[a], stop, w->step[a]);
    }
    return shown;
}

/* Place in a table of element i of its window seen in the shape `count`; axes of one coordinate broadcast. */
static int64_t place_in(const window *w, int rank, const int64_t *count, const int64_t *shape, int64_t i)
{
    int64_t place = 0, inner = 1;
    for (int a = rank - 1; a >= 0; a--) {
        const int64_t along = w->count[a] == 1 ? 0 : i % count[a];
        place += (w->begin[a] + along * w->step[a]) * inner;
        i /= count[a];
        inner *= shape[a];
    }
    return place;
}

/* ---- Steps ---- */

static table *pick_version(program *p)
{
    const int back = zc_random_range(0, 3) == 0 ? (int)zc_random_range(0, p->version_count - 1) : 0;
    return &p->versions[p->version_count - 1 - back];
}

static int64_t combine(int how, int64_t x, int64_t y)
{
    const uint64_t a = (uint64_t)x, b = (uint64_t)y;
    return (int64_t)(how == 0 ? a + b : how == 1 ? a * b : how == 2 ? a - b : x < y ? a : b);
}

static zc_tensor *combine_lazy(int how, zc_tensor *x, zc_tensor *y)
{
    return how == 0 ? zc_add(x, y) : how == 1 ? zc_multiply(x, y) : how == 2 ? zc_subtract(x, y) : zc_minimum(x, y);
}

/* A window of a version that broadcasts to the shape; some as they are, some copied, some rolled, some summed along an
 * axis, to the end or to each element. */
static table draw_term(program *p, const window *like)
{
    const table *from = pick_version(p);
    const window w = draw_like(p->rank, from->shape, like);
    const int axis = (int)zc_random_range(0, p->rank - 1);
    const int64_t kind = zc_random_range(0, 9), by = zc_random_range(1, 5);
    table term = new_table(p->rank, like->count), sums = new_table(p->rank, like->count);
    term.lazy = show(from->lazy, p->rank, &w);
    int64_t inner = 1;
    for (int a = axis + 1; a < p->rank; a++)
        inner *= like->count[a];
    if (kind == 0)
        term.lazy = zc_copy(term.lazy);
    if (kind == 1)
        term.lazy = zc_roll(term.lazy, 1, &by, &axis);
    if (kind == 2)
        term.lazy = zc_sum(term.lazy, 1, &axis, true);
    if (kind == 3)
        term.lazy = zc_cumulative_sum(term.lazy, axis, false);
    term.lazy = zc_broadcast_to(term.lazy, p->rank, like->count);
    const int64_t extent = like->count[axis], walked = w.count[axis] == 1 ? 1 : extent;
    for (int64_t i = 0; i < term.size; i++) {
        const int64_t along = i / inner % extent;
        for (int64_t k = 0; k < walked; k++) {
            const int64_t x = from->data[place_in(&w, p->rank, like->count, from->shape, i + (k - along) * inner)];
            sums.data[i] = kind == 3 && k > along && walked > 1 ? sums.data[i] : combine(0, sums.data[i], x);
            if (kind != 2 && k == (kind == 1 ? ((along - by) % walked + walked) % walked : walked == 1 ? 0 : along))
                term.data[i] = x;
        }
    }
    if (kind == 2 || kind == 3)
        memcpy(term.data, sums.data, (size_t)term.size * sizeof *term.data);
    free(sums.data);
    return term;
}

/* Values of a shape, made of one to three such. */
static table draw_values(program *p, const window *like)
{
    const int terms = (int)zc_random_range(1, 3);
    table values = draw_term(p, like);
    for (int k = 1; k < terms; k++) {
        const int how = (int)zc_random_range(0, 3);
        table term = draw_term(p, like);
        values.lazy = combine_lazy(how, values.lazy, term.lazy);
        for (int64_t i = 0; i < values.size; i++)
            values.data[i] = combine(how, values.data[i], term.data[i]);
        free(term.data);
    }
    return values;
}

static int64_t updated(zc_update_op op, int64_t x, int64_t value)
{
    switch (op) {
    case ZC_UPDATE_SET:
        return value;
    case ZC_UPDATE_ADD:
        return combine(0, x, value);
    case ZC_UPDATE_MULTIPLY:
        return combine(1, x, value);
    case ZC_UPDATE_MIN:
        return x < value ? x : value;
    default:
        return x > value ? x : value;
    }
}

static zc_update_op draw_op(void)
{
    return zc_random_range(0, 2) > 0 ? ZC_UPDATE_SET : (zc_update_op)zc_random_range(0, ZC_UPDATE_MAX);
}

static void keep_version(program *p, table version)
{
    cr_assert_not_null(version.lazy, "%s", zc_error_text(p->ctx));
    p->versions[p->version_count++] = version;
}

static void add_window_update(program *p)
{
    const table *base = pick_version(p);
    const window at = draw_window(p->rank, base->shape);
    const zc_update_op op = draw_op();
    table values = draw_values(p, &at), next = new_table(p->rank, base->shape);
    memcpy(next.data, base->data, (size_t)base->size * sizeof *base->data);
    for (int64_t i = 0; i < values.size; i++) {
        int64_t *element = &next.data[place_in(&at, p->rank, at.count, base->shape, i)];
        *element = updated(op, *element, values.data[i]);
    }
    next.lazy = zc_update(base->lazy, show(zc_places(base->lazy), p->rank, &at), values.lazy, op);
    free(values.data);
    keep_version(p, next);
}

/* At positions along an axis, which may be equal; values are windows, or what is at the positions, plus one. */
static void add_moved_update(program *p)
{
    const table *base = pick_version(p);
    const int axis = (int)zc_random_range(0, p->rank - 1);
    int64_t positions[4], count = zc_random_range(1, 4);
    for (int64_t i = 0; i < count; i++)
        positions[i] = zc_random_range(0, base->shape[axis] - 1);
    zc_tensor *at = zc_from_data(p->ctx, ZC_INT64, ZC_SHAPE(count), positions, (size_t)count * sizeof *positions);
    window moved, all;
    for (int a = 0; a < p->rank; a++) {
        all.begin[a] = 0;
        all.step[a] = 1;
        all.count[a] = a == axis ? count : base->shape[a];
    }
    if (count > base->shape[axis])
        return;
    const bool gathers = zc_random_bool();
    const zc_update_op op = draw_op();
    table values = draw_values(p, &all), next = new_table(p->rank, base->shape);
    memcpy(next.data, base->data, (size_t)base->size * sizeof *base->data);
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t i = 0; i < values.size; i++) {
            moved = all;
            const int64_t along = place_in(&all, p->rank, all.count, all.count, i);
            int64_t inner = 1;
            for (int a = axis + 1; a < p->rank; a++)
                inner *= all.count[a];
            moved.begin[axis] = positions[along / inner % count];
            moved.step[axis] = 0;
            const int64_t place = place_in(&moved, p->rank, all.count, base->shape, i);
            if (pass == 0 && gathers)
                values.data[i] = combine(0, base->data[place], 1);
            if (pass == 1)
                next.data[place] = updated(op, next.data[place], values.data[i]);
        }
    }
    if (gathers)
        values.lazy = zc_add(zc_take(base->lazy, at, axis), zc_weak_int(p->ctx, 1));
    next.lazy = zc_update(base->lazy, zc_take(zc_places(base->lazy), at, axis), values.lazy, op);
    free(values.data);
    keep_version(p, next);
}

/* All of a version, changed. */
static void add_map(program *p)
{
    const table *from = pick_version(p);
    table next = new_table(p->rank, from->shape);
    for (int64_t i = 0; i < from->size; i++)
        next.data[i] = combine(0, combine(1, from->data[i], 3), 1);
    next.lazy = zc_add(zc_multiply(from->lazy, zc_weak_int(p->ctx, 3)), zc_weak_int(p->ctx, 1));
    keep_version(p, next);
}

/* A window, a window changed, or sums along the first axis, of any version so far. */
static void add_result(program *p)
{
    const table *from = pick_version(p);
    const window w = draw_window(p->rank, from->shape);
    table result = new_table(p->rank, w.count);
    const int64_t kind = zc_random_range(0, 3);
    result.lazy = show(from->lazy, p->rank, &w);
    for (int64_t i = 0; i < result.size; i++)
        result.data[i] = from->data[place_in(&w, p->rank, w.count, from->shape, i)];
    if (kind == 1) {
        result.lazy = zc_negative(result.lazy);
        for (int64_t i = 0; i < result.size; i++)
            result.data[i] = combine(2, 0, result.data[i]);
    } else if (kind == 2) {
        const int64_t inner = result.size / w.count[0];
        result.lazy = zc_sum(result.lazy, ZC_AXES(0), true);
        for (int64_t i = inner; i < result.size; i++)
            result.data[i % inner] = combine(0, result.data[i % inner], result.data[i]);
        result.size = inner;
    }
    cr_assert_not_null(result.lazy, "%s", zc_error_text(p->ctx));
    p->results[p->result_count++] = result;
}

/* ---- Rounds ---- */

static program begin(void)
{
    static const int threads[] = {1, 2};
    const zc_options options = {.threads = threads[zc_random_range(0, 1)],
                                .executor = zc_random_range(0, 3) == 0 ? ZC_EXECUTOR_REFERENCE : ZC_EXECUTOR_TILE,
                                .memory_limit = zc_random_range(0, 3) == 0 ? 20000 : 0};
    program p = {.ctx = zc_context_new(&options), .rank = (int)zc_random_range(1, RANK)};
    int64_t shape[RANK];
    p.scope = zc_scope_begin(p.ctx);
    for (int a = 0; a < p.rank; a++)
        shape[a] = zc_random_range(1, p.rank == 1 ? 40 : 7);
    table first = new_table(p.rank, shape);
    if (zc_random_bool()) {
        first.lazy = zc_full(p.ctx, p.rank, shape, ZC_INT64, 0);
    } else {
        for (int64_t i = 0; i < first.size; i++)
            first.data[i] = zc_random_range(-9, 9);
        first.lazy = zc_from_data(p.ctx, ZC_INT64, p.rank, shape, first.data, (size_t)first.size * sizeof *first.data);
    }
    keep_version(&p, first);
    return p;
}

static void expect_result(const program *p, const table *result, const zc_tensor *made, int round)
{
    const int64_t *data = zc_data(made);
    cr_assert_eq(zc_size(made), result->size);
    for (int64_t i = 0; i < result->size; i++)
        cr_assert_eq(data[i], result->data[i], "round %d, rank %d: element %ld is %ld, not %ld", round, p->rank,
                     (long)i, (long)data[i], (long)result->data[i]);
}

/* All results in one run, or each in one of its own. How many were refused for want of memory. */
static int check(program *p, int round)
{
    const zc_tensor *wanted[MOST_RESULTS];
    zc_tensor *made[MOST_RESULTS];
    int refused = 0, step = zc_random_bool() ? p->result_count : 1;
    for (int i = 0; i < p->result_count; i++)
        wanted[i] = p->results[i].lazy;
    for (int first = 0; first < p->result_count; first += step) {
        const zc_status status = zc_materialize_all(step, wanted + first, made);
        if (status == ZC_ERROR_BUDGET) {
            refused += step;
            zc_error_clear(p->ctx);
            continue;
        }
        cr_assert_eq(status, ZC_OK, "%s", zc_error_text(p->ctx));
        for (int i = 0; i < step; i++)
            expect_result(p, &p->results[first + i], made[i], round);
    }
    return refused;
}

static void end(program *p)
{
    for (int i = 0; i < p->version_count; i++)
        free(p->versions[i].data);
    for (int i = 0; i < p->result_count; i++)
        free(p->results[i].data);
    zc_scope_end(p->scope);
    cr_assert_eq(zc_memory_usage(p->ctx).held_bytes, 0);
    zc_context_free(p->ctx);
}

Test(update_chains, are_what_loops_over_arrays_make)
{
    zc_skip_of_one_thread();
    zc_random_begin("update_chains");
    int refused = 0, results = 0;
    for (int round = 0; round < zc_test_count(ROUNDS); round++) {
        program p = begin();
        const int steps = (int)zc_random_range(1, MOST_VERSIONS - 1);
        for (int i = 0; i < steps; i++) {
            const int64_t kind = zc_random_range(0, 9);
            (kind == 0 ? add_map : kind < 3 ? add_moved_update : add_window_update)(&p);
            if (zc_random_range(0, 3) == 0 && p.result_count < MOST_RESULTS - 1)
                add_result(&p);
        }
        table last = p.versions[p.version_count - 1];
        if (zc_random_bool() || p.result_count == 0) {
            table all = new_table(p.rank, last.shape);
            memcpy(all.data, last.data, (size_t)last.size * sizeof *last.data);
            all.lazy = last.lazy;
            p.results[p.result_count++] = all;
        }
        refused += check(&p, round);
        results += p.result_count;
        end(&p);
    }
    cr_assert_lt(refused, results / 4);
}
