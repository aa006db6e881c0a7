/*
 * Windows of updates whose positions move along parts of a tensor that are no axis of it, though they look like one:
 * each row of the result is the row that a loop over the positions makes.
 */
#include <inttypes.h>

#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

enum { ROUNDS = 300, MOST = 64, MOST_POSITIONS = 4 };

/* Update of x of the shape, whose elements are their numbers, at first + step_a * a + step_b * b for positions a and b
 * below the extents. */
typedef struct moved {
    int64_t shape[3], size;
    int64_t first, extent[2], step[2];
    int axes; /* 1: b is left out */
    int64_t count, at[2][MOST_POSITIONS];
} moved;

static moved draw(void)
{
    moved m = {.shape = {zc_random_range(1, 4), zc_random_range(1, 4), zc_random_range(1, 4)}};
    m.size = m.shape[0] * m.shape[1] * m.shape[2];
    m.axes = (int)zc_random_range(1, 2);
    m.count = zc_random_range(1, MOST_POSITIONS);
    int64_t left = m.size - 1;
    for (int k = 0; k < m.axes; k++) {
        const int64_t steps[] = {1, m.shape[2], m.shape[1] * m.shape[2]};
        m.step[k] = steps[zc_random_range(0, 2)];
        m.extent[k] = m.shape[zc_random_range(0, 2)];
        m.extent[k] = (m.extent[k] - 1) * m.step[k] > left ? 1 : m.extent[k];
        left -= (m.extent[k] - 1) * m.step[k];
        for (int64_t i = 0; i < m.count; i++)
            m.at[k][i] = zc_random_range(0, m.extent[k] - 1);
    }
    m.first = zc_random_range(0, left);
    return m;
}

/* Numbers of elements of x, as a view that no axis of x may have. */
static zc_tensor *places_of(const moved *m, const zc_tensor *x)
{
    const int64_t reach = (m->extent[0] - 1) * m->step[0] + (m->axes == 2 ? (m->extent[1] - 1) * m->step[1] : 0);
    zc_context *ctx = zc_context_of(x);
    zc_tensor *at[2], *numbers = zc_reshape(zc_places(x), ZC_SHAPE(m->size));
    numbers = zc_slice(numbers, 0, m->first, m->first + reach + 1, 1);
    for (int k = 0; k < m->axes; k++)
        at[k] = zc_from_data(ctx, ZC_INT64, ZC_SHAPE(m->count), m->at[k], (size_t)m->count * sizeof(int64_t));
    if (m->axes == 1)
        return zc_take(zc_slice(numbers, 0, 0, ZC_NONE, m->step[0]), at[0], 0);
    const int64_t window = (m->extent[1] - 1) * m->step[1] + 1;
    zc_tensor *windows = zc_sliding_window_view(numbers, 1, &window, 1, (const int[]){0});
    windows = zc_slice(zc_slice(windows, 0, 0, ZC_NONE, m->step[0]), 1, 0, ZC_NONE, m->step[1]);
    return zc_gather(windows, ZC_AXES(0, 1), (const zc_tensor *const *)at);
}

static void expect_window(const moved *m, const double *expected, int axis, int64_t first, int64_t last)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *x = zc_astype(zc_reshape(zc_iota(ctx, m->size), 3, m->shape), ZC_FLOAT64), *made = NULL;
    zc_tensor *window =
        zc_slice(zc_update(x, places_of(m, x), zc_weak_float(ctx, 100), ZC_UPDATE_ADD), axis, first, last, 1);
    cr_assert_eq(zc_materialize(window, &made), ZC_OK, "%s", zc_error_text(ctx));
    const double *got = zc_data(made);
    const int64_t *shape = zc_shape(made);
    for (int64_t i = 0; i < zc_size(made); i++) {
        int64_t at[3] = {i / (shape[1] * shape[2]), i / shape[2] % shape[1], i % shape[2]};
        at[axis] += first;
        int64_t place = (at[0] * m->shape[1] + at[1]) * m->shape[2] + at[2];
        cr_expect_eq(got[i], expected[place], "place %" PRId64 ": %g, not %g", place, got[i], expected[place]);
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
}

Test(update_windows, hold_what_moves_across_axes)
{
    zc_random_begin("update_windows");
    for (int round = 0; round < zc_test_count(ROUNDS); round++) {
        const moved m = draw();
        double expected[MOST];
        for (int64_t i = 0; i < m.size; i++)
            expected[i] = (double)i;
        for (int64_t i = 0; i < m.count; i++)
            expected[m.first + m.at[0][i] * m.step[0] + (m.axes == 2 ? m.at[1][i] * m.step[1] : 0)] += 100;
        int axis = (int)zc_random_range(0, 2);
        int64_t first = zc_random_range(0, m.shape[axis] - 1);
        expect_window(&m, expected, axis, first, zc_random_range(first + 1, m.shape[axis]));
    }
}

/* One element of a table that is larger than any memory: windows with it and without it are as small as they look. */
Test(update_windows, see_one_element_or_miss_it)
{
    enum { SIDE = 30000, AT = 2 };
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    const double zero = 0;
    const zc_tensor *table = zc_broadcast_to(zc_constant(ctx, ZC_FLOAT64, &zero), ZC_SHAPE(SIDE, SIDE));
    const zc_tensor *place = zc_index(zc_index(zc_places(table), 0, AT), 0, AT);
    for (int op = ZC_UPDATE_SET; op <= ZC_UPDATE_ADD; op++) {
        const zc_tensor *updated = zc_update(table, place, zc_weak_float(ctx, 5), (zc_update_op)op);
        for (int64_t row = 0; row < 4; row++) {
            const zc_tensor *window = zc_slice(zc_slice(updated, 0, row, row + 1, 1), 1, 1, 4, 1);
            zc_tensor *out = NULL;
            zc_cost cost;
            cr_assert_eq(zc_cost_of(window, &cost), ZC_OK);
            cr_expect_leq(cost.peak_bytes, 64, "row %d: %lld bytes", (int)row, (long long)cost.peak_bytes);
            cr_assert_eq(zc_materialize(window, &out), ZC_OK, "%s", zc_error_text(ctx));
            const double *got = zc_data(out);
            for (int i = 0; i < 3; i++)
                cr_expect_eq(got[i], row == AT && i + 1 == AT ? 5 : 0, "row %d, column %d", (int)row, i + 1);
        }
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
}
