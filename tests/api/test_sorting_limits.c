/* Sorting, searching, sets: what is refused, the bytes they take, the limit, and memory that runs out. */
#include <string.h>

#include "tests/api/values.h"
#include "tests/support/failing.h"

enum { MOST_RESULTS = 4 };

/* One of the calls on x, of shape (6, 50); its results. */
typedef zc_status call(const zc_tensor *x, zc_tensor **out);

static zc_status sort_rows(const zc_tensor *x, zc_tensor **out)
{
    return zc_sort(x, 1, false, out);
}
static zc_status sort_columns(const zc_tensor *x, zc_tensor **out)
{
    return zc_sort(x, 0, true, out);
}
static zc_status argsort(const zc_tensor *x, zc_tensor **out)
{
    return zc_argsort(x, -1, false, out);
}
static zc_status top_k(const zc_tensor *x, zc_tensor **out)
{
    zc_tensor *line = zc_reshape(x, ZC_SHAPE(-1)); /* of fewer than 129 nothing is computed yet */
    if (line == NULL)
        return zc_error_status(zc_context_of(x));
    const zc_status status = zc_top_k(line, 150, 0, true, &out[0], &out[1]);
    zc_release(line);
    return status;
}
static zc_status search(const zc_tensor *x, zc_tensor **out)
{
    zc_tensor *first = zc_index(x, 0, 0), *found = NULL, *order = NULL;
    zc_status status = first != NULL ? zc_argsort(first, 0, false, &order) : ZC_ERROR_MEMORY;
    if (status == ZC_OK)
        status = zc_searchsorted(first, x, true, order, &found);
    zc_release(first);
    zc_release(order);
    out[0] = found;
    return status;
}
static zc_status unique_values(const zc_tensor *x, zc_tensor **out)
{
    return zc_unique_values(x, out);
}
static zc_status unique_counts(const zc_tensor *x, zc_tensor **out)
{
    return zc_unique_counts(x, &out[0], &out[1]);
}
static zc_status unique_inverse(const zc_tensor *x, zc_tensor **out)
{
    return zc_unique_inverse(x, &out[0], &out[1]);
}
static zc_status unique_all(const zc_tensor *x, zc_tensor **out)
{
    return zc_unique_all(x, &out[0], &out[1], &out[2], &out[3]);
}
static zc_status nonzero(const zc_tensor *x, zc_tensor **out)
{
    return zc_nonzero(x, out);
}

static call *const calls[] = {sort_rows,     sort_columns,  argsort,        top_k,      search,
                              unique_values, unique_counts, unique_inverse, unique_all, nonzero};
enum { CALLS = sizeof calls / sizeof *calls };

/* (6, 50) float32: 300 elements in 23 groups; existing, or still to be computed. */
static zc_tensor *input(zc_context *ctx, bool is_lazy)
{
    float data[300];
    for (int i = 0; i < 300; i++)
        data[i] = (float)(i * 7 % 23);
    zc_tensor *x = zc_from_data(ctx, ZC_FLOAT32, ZC_SHAPE(6, 50), data, sizeof data);
    if (!is_lazy)
        return x;
    zc_tensor *lazy = zc_negative(x);
    zc_release(x);
    return lazy;
}

static void release_all(zc_tensor **out)
{
    for (int i = 0; i < MOST_RESULTS; i++) {
        zc_release(out[i]);
        out[i] = NULL;
    }
}

/* ---- Bytes ---- */

typedef struct usage {
    zc_status status;
    int64_t peak_bytes; /* beyond what was held before */
    int64_t left_bytes; /* after its results were released, beyond the same */
    int64_t result_bytes;
} usage;

static usage measure(call *run, bool is_lazy, int64_t limit)
{
    zc_tensor *out[MOST_RESULTS] = {NULL};
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .memory_limit = limit, .recompute = true});
    zc_tensor *x = input(ctx, is_lazy);
    int64_t before = zc_memory_usage(ctx).held_bytes;
    usage u = {0};
    zc_memory_reset_peak(ctx);
    u.status = run(x, out);
    u.peak_bytes = zc_memory_usage(ctx).peak_bytes - before;
    for (int i = 0; i < MOST_RESULTS; i++) {
        cr_assert(u.status == ZC_OK || out[i] == NULL);
        if (out[i] != NULL)
            u.result_bytes += zc_size(out[i]) * (int64_t)zc_dtype_bytes(zc_dtype_of(out[i]));
    }
    cr_assert_eq(zc_error_status(ctx), u.status);
    release_all(out);
    u.left_bytes = zc_memory_usage(ctx).held_bytes - before;
    zc_release(x);
    cr_assert_eq(zc_memory_usage(ctx).held_bytes, 0);
    zc_context_free(ctx);
    return u;
}

Test(sorting_limits, memory_is_what_the_manual_says)
{
    static const struct {
        call *run;
        int64_t work_bytes;
    } rows[] = {
        {sort_rows, 50 * 4},
        {sort_columns, 2 * 6 * 4},
        {argsort, 50 * (2 * 4 + 8)},
        {top_k, 2 * 300 * (4 + 8)},
        {unique_values, 2 * 300 * 4},
        {unique_counts, 2 * 300 * 4},
        {unique_all, 2 * 300 * (4 + 8)},
        {unique_inverse, 2 * 300 * 12},
        {nonzero, 300},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        usage existing = measure(rows[r].run, false, 0), lazy = measure(rows[r].run, true, 0);
        cr_assert_eq(existing.status, ZC_OK);
        cr_assert_geq(existing.peak_bytes, existing.result_bytes + rows[r].work_bytes, "call %zu", r);
        cr_assert_leq(existing.peak_bytes, existing.result_bytes + rows[r].work_bytes + INT64_C(4) * 64, "call %zu", r);
        cr_assert_eq(existing.left_bytes, 0);
        if (rows[r].run != nonzero) /* which computes truth values at once */
            cr_assert_eq(lazy.left_bytes, 1200, "the node keeps what was materialised");
        cr_assert_leq(lazy.peak_bytes, existing.peak_bytes + 1200);
    }
}

/* Tells calls that sort each line by itself. */
static bool has_lines(call *run)
{
    return run == sort_rows || run == sort_columns || run == argsort;
}

/* Memory measured without a limit is enough as a limit, a byte less is refused, and what is refused was not taken. */
Test(sorting_limits, refuses_before_the_byte_that_does_not_fit)
{
    for (size_t c = 0; c < CALLS; c++) {
        for (int is_lazy = 0; is_lazy <= 1; is_lazy++) {
            usage free_ = measure(calls[c], is_lazy, 0);
            const int64_t held = 1200; /* the input's */
            cr_assert_eq(free_.status, ZC_OK);
            usage fits = measure(calls[c], is_lazy, held + free_.peak_bytes + 256);
            cr_assert(fits.status == ZC_OK && fits.peak_bytes == free_.peak_bytes, "call %zu", c);
            usage tight = measure(calls[c], is_lazy, held + free_.peak_bytes - 1); /* in blocks, if at all */
            cr_assert_eq(tight.status, is_lazy && has_lines(calls[c]) ? ZC_OK : ZC_ERROR_BUDGET, "call %zu", c);
            cr_assert_lt(tight.peak_bytes, free_.peak_bytes);
            usage none = measure(calls[c], is_lazy, held);
            cr_assert(none.status == ZC_ERROR_BUDGET && none.peak_bytes == 0 && none.left_bytes == 0, "call %zu", c);
        }
    }
}

Test(sorting_limits, fewer_threads_where_memory_is_short)
{
    static float data[1 << 15];
    bench b = begin_with((zc_options){.threads = 3, .memory_limit = 2 * sizeof data + (size_t)8 * 1024});
    zc_tensor *x = zc_from_data(b.ctx, ZC_FLOAT32, ZC_SHAPE(16, 1 << 11), data, sizeof data), *out;
    cr_assert_eq(zc_sort(x, 1, false, &out), ZC_ERROR_BUDGET);
    zc_error_clear(b.ctx);
    cr_assert_eq(zc_sort(zc_slice(x, 0, 0, 15, 1), 1, false, &out), ZC_OK, "%s", zc_error_text(b.ctx));
    finish(b);
}

Test(sorting_limits, more_bytes_than_int64_counts)
{
    bench b = begin();
    zc_tensor *sorted = zc_from_data(b.ctx, ZC_INT8, ZC_SHAPE(1), "", 1), *out[4];
    zc_tensor *x = zc_broadcast_to(sorted, ZC_SHAPE(INT64_C(1) << 62));
    cr_assert_eq(zc_argsort(x, 0, false, out), ZC_ERROR_OVERFLOW);
    cr_assert_eq(zc_unique_all(x, &out[0], &out[1], &out[2], &out[3]), ZC_ERROR_OVERFLOW);
    cr_assert_eq(zc_searchsorted(sorted, x, false, NULL, out), ZC_ERROR_OVERFLOW);
    zc_tensor *rows = zc_broadcast_to(zc_weak_float(b.ctx, 1), ZC_SHAPE(2, INT64_C(1) << 61));
    cr_assert_eq(zc_sort(zc_negative(rows), 1, false, out), ZC_ERROR_OVERFLOW);
    cr_assert_not_null(strstr(zc_error_text(b.ctx), "argsort: takes more bytes"), "%s", zc_error_text(b.ctx));
    finish(b);
}

/* ---- Refusals ---- */

static void expect(zc_context *ctx, zc_status got, zc_status wanted, const char *sentence)
{
    cr_assert_eq(got, wanted, "%s", sentence);
    cr_assert_str_eq(zc_error_text(ctx), sentence);
    zc_error_clear(ctx);
}

Test(sorting_limits, refusals_are_sentences)
{
    bench b = begin();
    zc_tensor *x = OF(b.ctx, ZC_FLOAT64, 1, 2, 3), *out, *other, *table = zc_expand_dims(x, 0);
    expect(b.ctx, zc_sort(x, 1, false, &out), ZC_ERROR_AXIS, "sort: axis 1 is out of bounds for rank 1");
    expect(b.ctx, zc_argsort(zc_weak_int(b.ctx, 1), -1, false, &out), ZC_ERROR_AXIS,
           "argsort: axis -1 is out of bounds for rank 0");
    expect(b.ctx, zc_sort(x, 0, false, NULL), ZC_ERROR_ARGUMENT, "sort: there is nowhere to put the result");
    expect(b.ctx, zc_top_k(x, 4, 0, true, &out, &other), ZC_ERROR_ARGUMENT,
           "top_k: 4 elements cannot be taken along axis 0 of shape (3,)");
    cr_assert(out == NULL && other == NULL);
    expect(b.ctx, zc_top_k(x, -1, 0, true, &out, &other), ZC_ERROR_ARGUMENT,
           "top_k: -1 elements cannot be taken along axis 0 of shape (3,)");
    expect(b.ctx, zc_top_k(x, 1, 0, true, &out, NULL), ZC_ERROR_ARGUMENT, "top_k: there is nowhere to put the result");
    expect(b.ctx, zc_searchsorted(table, x, false, NULL, &out), ZC_ERROR_SHAPE,
           "searchsorted: what is searched has one axis, not shape (1, 3)");
    expect(b.ctx, zc_searchsorted(x, x, false, zc_iota(b.ctx, 2), &out), ZC_ERROR_SHAPE,
           "searchsorted: a sorter of shape (2,) does not belong to what is searched, of shape (3,)");
    expect(b.ctx, zc_searchsorted(x, x, false, x, &out), ZC_ERROR_DTYPE,
           "searchsorted: positions are integers, not float64");
    expect(b.ctx, zc_searchsorted(x, x, false, OF(b.ctx, ZC_INT64, 0, 1, 3), &out), ZC_ERROR_INDEX,
           "searchsorted: position 3 is out of bounds for an axis of size 3");
    cr_assert_null(out);
    expect(b.ctx, zc_nonzero(zc_weak_int(b.ctx, 1), &out), ZC_ERROR_SHAPE,
           "nonzero: a scalar has no axis along which it could stand");
    expect(b.ctx, zc_nonzero(x, NULL), ZC_ERROR_ARGUMENT, "nonzero: there is nowhere to put the result");
    expect(b.ctx, zc_unique_all(x, &out, &other, NULL, &out), ZC_ERROR_ARGUMENT,
           "unique_all: there is nowhere to put the result");
    finish(b);
}

static zc_tensor *const untouched = (zc_tensor *)(uintptr_t)64; /* no handle; nobody may look behind it */

/* The call failed, and left none of its results as it was. */
static void expect_emptied(zc_status status, zc_tensor **out, int count)
{
    cr_assert_eq(status, ZC_ERROR_ARGUMENT);
    for (int i = 0; i < 4; i++)
        cr_assert_eq(out[i], i < count ? NULL : untouched, "result %d of %d", i, count);
    for (int i = 0; i < 4; i++)
        out[i] = untouched;
}

Test(sorting_limits, no_tensor_is_an_argument_error)
{
    zc_tensor *out[4] = {untouched, untouched, untouched, untouched};
    zc_context *ctx = zc_context_new(NULL);
    zc_tensor *x = zc_iota(ctx, 3);
    expect_emptied(zc_sort(NULL, 0, false, out), out, 1);
    expect_emptied(zc_argsort(NULL, 0, false, out), out, 1);
    expect_emptied(zc_top_k(NULL, 0, 0, false, &out[0], &out[1]), out, 2);
    expect_emptied(zc_searchsorted(NULL, x, false, NULL, out), out, 1);
    expect_emptied(zc_searchsorted(x, NULL, false, NULL, out), out, 1);
    expect_emptied(zc_unique_values(NULL, out), out, 1);
    expect_emptied(zc_unique_counts(NULL, &out[0], &out[1]), out, 2);
    expect_emptied(zc_unique_inverse(NULL, &out[0], &out[1]), out, 2);
    expect_emptied(zc_unique_all(NULL, &out[0], &out[1], &out[2], &out[3]), out, 4);
    expect_emptied(zc_nonzero(NULL, out), out, 0); /* as many as x has axes */
    zc_release(x);
    zc_context_free(ctx);
}

/* ---- Memory that runs out ---- */

/* Every allocation of every call fails in turn, with and without a scope that would release what was left behind. */
static bool survives(call *run, int64_t fail_at, bool is_lazy, bool has_scope)
{
    zc_failing state = {.fail_at = 0};
    zc_allocator allocator = zc_failing_allocator(&state);
    zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator, .threads = 1});
    zc_scope *scope = has_scope ? zc_scope_begin(ctx) : NULL;
    zc_tensor *x = input(ctx, is_lazy), *out[MOST_RESULTS] = {NULL};
    state.fail_at = state.calls + fail_at;
    zc_status status = run(x, out);
    state.fail_at = 0;
    for (int i = 0; i < MOST_RESULTS; i++)
        cr_assert(status == ZC_OK || out[i] == NULL, "a result of a call that failed");
    cr_assert_eq(zc_error_status(ctx), status);
    cr_assert(status == ZC_OK || status == ZC_ERROR_MEMORY);
    if (status != ZC_OK) { /* memory is back: the same must work now */
        zc_error_clear(ctx);
        cr_assert_eq(run(x, out), ZC_OK, "%s", zc_error_text(ctx));
    }
    if (!has_scope) {
        release_all(out);
        zc_release(x);
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
    cr_assert(state.blocks == 0 && state.faults == 0, "%ld blocks are left", (long)state.blocks);
    return status == ZC_OK;
}

Test(sorting_limits, every_allocation_fails_in_turn)
{
    for (size_t c = 0; c < CALLS; c++) {
        for (int way = 0; way < 4; way++) {
            int64_t k = 1;
            while (!survives(calls[c], k, way % 2 == 1, way / 2 == 1))
                k++;
            cr_assert_gt(k, 3, "call %zu hardly allocates", c);
        }
    }
}

/* Shares of several threads that differ by one. */
Test(sorting_limits, searches_are_shared_to_the_last_element)
{
    enum { COUNT = 20001 };
    bench b = begin_with((zc_options){.threads = 2});
    zc_tensor *sorted = zc_multiply(zc_iota(b.ctx, 100), zc_weak_int(b.ctx, 10)), *places = NULL;
    zc_tensor *wanted = zc_remainder(zc_iota(b.ctx, COUNT), zc_weak_int(b.ctx, 1000));
    cr_assert_eq(zc_searchsorted(sorted, wanted, true, NULL, &places), ZC_OK, "%s", zc_error_text(b.ctx));
    zc_tensor *right = zc_add(zc_floor_divide(wanted, zc_weak_int(b.ctx, 10)), zc_weak_int(b.ctx, 1));
    EXPECT(zc_all(zc_equal(places, right), ZC_ALL_AXES, false), 1);
    zc_release(places);
    finish(b);
}

typedef struct reported {
    int64_t done, total;
} reported;

static bool note(void *user, int64_t done, int64_t total)
{
    *(reported *)user = (reported){done, total};
    return true;
}

/* One thread: others may end after the one that reports. Some ten microseconds of work may follow the last report. */
Test(sorting_limits, calls_that_end_have_done_all_of_their_steps)
{
    enum { ROWS = 6, COLUMNS = 50000, LATE = 1 << 17 };
    static const zc_dtype dtypes[] = {ZC_INT16, ZC_FLOAT32, ZC_FLOAT64, ZC_INT64};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        bench b = begin_with((zc_options){.threads = 1});
        zc_tensor *n = zc_remainder(zc_iota(b.ctx, ROWS * COLUMNS), zc_weak_int(b.ctx, 1009)), *x = NULL;
        cr_assert_eq(zc_materialize(zc_astype(zc_reshape(n, ZC_SHAPE(ROWS, COLUMNS)), dtypes[d]), &x), ZC_OK);
        for (size_t c = 0; c < CALLS; c++) {
            reported last = {0};
            zc_tensor *out[MOST_RESULTS] = {NULL};
            zc_set_progress(b.ctx, note, &last);
            cr_assert_eq(calls[c](x, out), ZC_OK, "%s", zc_error_text(b.ctx));
            zc_set_progress(b.ctx, NULL, NULL);
            cr_expect_leq(last.total - last.done, LATE, "call %zu of %s ends at %ld of %ld steps", c,
                          zc_dtype_name(dtypes[d]), (long)last.done, (long)last.total);
            for (int i = 0; i < MOST_RESULTS; i++)
                zc_release(out[i]);
        }
        zc_release(x);
        finish(b);
    }
}
