/* Elements of sources that are picked at known positions: the same as in memory, through any views. */
#include <math.h>
#include <stdio.h>

#include "tests/api/sources.h"
#include "tests/support/random.h"

/* Takes at known positions of views that walk an axis twice, two axes at once, or from one row to the next. */
static const zc_tensor *take_of_view(const zc_tensor *t, const zc_tensor *positions, int program)
{
    const int64_t width = 3;
    const int axis = 1;
    switch (program) {
    case 0:
        return zc_take(zc_diagonal(t, 0, 0, 1), positions, 0);
    case 1:
        return zc_diagonal(zc_take(t, positions, 2), 0, 0, 1);
    case 2:
        return zc_sliding_window_view(zc_take(t, positions, 0), 1, &width, 1, &axis);
    case 3:
        return zc_take(zc_reshape(t, ZC_SHAPE(6, 5, 20)), positions, 0);
    case 4:
        return zc_take(zc_sliding_window_view(zc_reshape(t, ZC_SHAPE(600)), 1, &width, 1, (const int[]){0}), positions,
                       0);
    case 5:
        return zc_take(zc_flip(zc_reshape(t, ZC_SHAPE(5, 120)), ZC_AXES(1)), positions, 0);
    default:
        return zc_take(zc_diagonal(zc_flip(t, ZC_AXES(1)), 1, 1, 2), positions, 0);
    }
}

Test(source_picked, has_the_elements_where_no_boxes_are)
{
    for (int program = 0; program < 7; program++) {
        for (int executor = 0; executor < 2; executor++) {
            bench b = begin_with(
                (zc_options){.threads = 1, .executor = executor == 0 ? ZC_EXECUTOR_TILE : ZC_EXECUTOR_REFERENCE});
            numbered n = numbers(ZC_FLOAT32, 3, LENGTHS(5, 12, 10), LENGTHS(2, 2, 3));
            const zc_tensor *positions = zc_from_data(b.ctx, ZC_INT64, 1, LENGTHS(2), LENGTHS(4, -2), 16);
            char what[32];
            (void)snprintf(what, sizeof what, "program %d", program);
            expect_same(take_of_view(from_numbers(b.ctx, &n), positions, program),
                        take_of_view(in_memory(b.ctx, &n), positions, program), what);
            finish(b);
        }
    }
}

/* Changes a source into a random view, or picks a few of one: the same for equal draws. */
static const zc_tensor *change_view(zc_context *ctx, const zc_tensor *t)
{
    const int rank = zc_rank(t), axis = rank > 0 ? (int)zc_random_range(0, rank - 1) : 0;
    const int64_t extent = rank > 0 ? zc_shape(t)[axis] : 0, width = zc_random_range(1, 3);
    int64_t positions[2];
    switch (extent == 0 ? -1 : (int)zc_random_range(0, 6)) {
    case 0:
        return rank > 1 ? zc_diagonal(t, 0, 0, rank - 1) : t;
    case 1:
        return width <= extent && rank < MOST_RANK ? zc_sliding_window_view(t, 1, &width, 1, &axis) : t;
    case 2:
        return zc_flip(t, ZC_AXES(axis));
    case 3:
        return zc_reshape(t, ZC_SHAPE(zc_size(t)));
    case 4:
        return rank > 1 ? zc_swapaxes(t, 0, rank - 1) : t;
    case 5:
        return zc_slice(t, axis, zc_random_range(0, extent - 1), extent, zc_random_range(1, 2));
    case 6:
        for (int i = 0; i < 2; i++)
            positions[i] = zc_random_range(-extent, extent - 1);
        return zc_take(t, zc_from_data(ctx, ZC_INT64, 1, LENGTHS(2), positions, sizeof positions), axis);
    default:
        return t;
    }
}

Test(source_picked, has_the_elements_through_any_views)
{
    const int count = zc_test_count(1500);
    zc_random_begin("source, picked");
    for (int i = 0; i < count; i++) {
        bench b = begin_with(
            (zc_options){.threads = 1, .executor = zc_random_bool() ? ZC_EXECUTOR_REFERENCE : ZC_EXECUTOR_TILE});
        numbered n = {.rank = (int)zc_random_range(2, MOST_RANK), .dtype = ZC_INT16};
        for (int a = 0; a < n.rank; a++) {
            n.shape[a] = zc_random_range(3, 7);
            n.chunk[a] = zc_random_range(1, 4);
        }
        const int changes = (int)zc_random_range(2, 6);
        const zc_tensor *t = from_numbers(b.ctx, &n), *wanted = in_memory(b.ctx, &n);
        const zc_random_place place = zc_random_mark();
        for (int c = 0; c < changes; c++)
            t = change_view(b.ctx, t);
        zc_random_return(&place);
        for (int c = 0; c < changes; c++)
            wanted = change_view(b.ctx, wanted);
        char what[32];
        (void)snprintf(what, sizeof what, "program %d", i);
        expect_same(t, wanted, what);
        finish(b);
    }
}

/* A view of a source of (20000, 64), of which so many elements lie in steps, across, spread or at positions. */
static const zc_tensor *view_of(zc_context *ctx, const zc_tensor *t, int which)
{
    const zc_tensor *at =
        zc_remainder(zc_multiply(zc_iota(ctx, 20000), zc_weak_int(ctx, 7919)), zc_weak_int(ctx, 20000));
    switch (which) {
    case 0:
        return zc_slice(t, 0, 0, 20000, 2);
    case 1:
        return zc_matrix_transpose(zc_slice(t, 1, 0, 48, 1));
    case 2:
        return zc_flip(t, ZC_AXES(0));
    case 3:
        return zc_broadcast_to(zc_slice(t, 1, 5, 6, 1), ZC_SHAPE(20000, 64));
    case 4:
        return zc_slice(t, 0, 64, 20000, 1);
    case 5:
        return zc_broadcast_to(zc_index(t, 0, 3), ZC_SHAPE(20000, 64));
    default:
        return zc_take(t, at, 0);
    }
}

/* Standardized rows or columns under a limit that holds some of them alone. */
Test(source_picked, has_the_elements_in_blocks_of_any_views)
{
    enum { VIEWS = 7 };
    zc_skip_of_one_thread();
    for (int which = 0; which < 2 * VIEWS; which++) {
        bench b = begin_with((zc_options){.threads = 1, .memory_limit = 6 << 20}), whole = begin_with((zc_options){0});
        numbered n = numbers(ZC_FLOAT32, 2, LENGTHS(20000, 64), LENGTHS(128, 16));
        const zc_tensor *both[] = {view_of(b.ctx, from_numbers(b.ctx, &n), which % VIEWS),
                                   view_of(whole.ctx, in_memory(whole.ctx, &n), which % VIEWS)};
        for (int i = 0; i < 2; i++) {
            const zc_tensor *apart = zc_subtract(both[i], zc_mean(both[i], ZC_AXES(which / VIEWS), true));
            const zc_tensor *score = zc_divide(apart, zc_sqrt(zc_mean(zc_square(apart), ZC_AXES(which / VIEWS), true)));
            both[i] = zc_max(zc_abs(score), ZC_AXES(which / VIEWS), false);
        }
        char what[16], *text = NULL;
        (void)snprintf(what, sizeof what, "view %d", which);
        cr_assert_eq(zc_explain(both[0], ZC_JSON, &text), ZC_OK, "%s", zc_error_text(b.ctx));
        cr_expect_not_null(strstr(text, "the element of the source with this number"), "%s: %s", what, text);
        zc_text_free(b.ctx, text);
        expect_same(both[0], both[1], what);
        finish(b);
        finish(whole);
    }
}

/* Sums of standardized columns of rows from the middle of a chunk on: in each of the passes a chunk is read once, and
 * again where two blocks meet in it. */
Test(source_picked, chunks_are_read_twice_where_blocks_begin_inside)
{
    enum { ROWS = 40000, COLUMNS = 256, CHUNK = 3000, CHUNKS = (ROWS + CHUNK - 1) / CHUNK, PASSES = 3 };
    zc_skip_of_one_thread();
    bench b = begin_with((zc_options){.threads = 1, .memory_limit = 30 << 20});
    numbered n = numbers(ZC_FLOAT32, 2, LENGTHS(ROWS, COLUMNS), LENGTHS(CHUNK, COLUMNS));
    const zc_tensor *t = zc_slice(from_numbers(b.ctx, &n), 0, 7, ROWS, 1);
    const zc_tensor *apart = zc_subtract(t, zc_mean(t, ZC_AXES(0), true));
    const zc_tensor *standard = zc_divide(apart, zc_std(t, ZC_AXES(0), 0, true));
    const double squares = value_at(zc_sum(zc_square(standard), ZC_AXES(0), false), 3);
    cr_expect_lt(fabs(squares - (ROWS - 7)), 1, "%g, %s", squares, zc_error_text(b.ctx));
    cr_expect_leq(n.touched, (int64_t)2 * PASSES * CHUNKS, "%ld chunks", (long)n.touched);
    finish(b);
}
