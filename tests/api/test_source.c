/* Tensors that functions read: the same elements as in memory, whatever is made of them, and what is read for it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/api/sources.h"
#include "tests/support/failing.h"
#include "tests/support/random.h"

/* Its computation fails for that reason. */
static void expect_failing(bench b, const zc_tensor *t, zc_status status, const char *sentence)
{
    zc_tensor *out = NULL;
    cr_expect_eq(zc_materialize(t, &out), status);
    cr_expect_str_eq(zc_error_text(b.ctx), sentence);
    cr_expect_null(out);
    zc_error_clear(b.ctx);
}

/* ---- Values ---- */

/* A random view, gather or operation: the same for equal draws. */
static const zc_tensor *change(zc_context *ctx, const zc_tensor *t)
{
    const int rank = zc_rank(t), axis = rank > 0 ? (int)zc_random_range(0, rank - 1) : 0;
    const int64_t extent = rank > 0 ? zc_shape(t)[axis] : 0;
    int64_t positions[3];
    if (extent == 0)
        return zc_add(t, t);
    switch (zc_random_range(0, 9)) {
    case 0:
        return zc_slice(t, axis, zc_random_range(0, extent - 1), extent, zc_random_range(1, 3));
    case 1:
        return zc_flip(t, ZC_AXES(axis));
    case 2:
        return rank > 1 ? zc_matrix_transpose(t) : zc_add(t, t);
    case 3:
        return zc_index(t, axis, zc_random_range(0, extent - 1));
    case 4:
    case 5:
        for (int i = 0; i < 3; i++)
            positions[i] = zc_random_range(-extent, extent - 1);
        return zc_take(t, zc_from_data(ctx, ZC_INT64, 1, LENGTHS(3), positions, sizeof positions), axis);
    case 6:
        return zc_sum(t, ZC_AXES(axis), true);
    case 7:
        return zc_subtract(zc_astype(t, ZC_FLOAT64), zc_mean(zc_astype(t, ZC_FLOAT64), ZC_AXES(axis), true));
    case 8:
        return zc_cumulative_sum(zc_astype(t, ZC_FLOAT64), axis, false);
    default:
        return zc_multiply(t, zc_flip(t, ZC_AXES(axis)));
    }
}

Test(source, has_the_elements_that_memory_has)
{
    static const zc_dtype dtypes[] = {ZC_FLOAT32, ZC_FLOAT64, ZC_INT16, ZC_UINT8, ZC_BOOL};
    const int count = zc_test_count(1500);
    zc_random_begin("source, memory");
    for (int i = 0; i < count; i++) {
        const bool is_reference = zc_random_bool();
        bench b = begin_with((zc_options){.threads = (int)zc_random_range(1, 3),
                                          .executor = is_reference ? ZC_EXECUTOR_REFERENCE : ZC_EXECUTOR_TILE});
        numbered n = {.rank = (int)zc_random_range(0, MOST_RANK), .dtype = dtypes[zc_random_range(0, 4)]};
        for (int a = 0; a < n.rank; a++) {
            n.shape[a] = zc_random_range(zc_random_range(0, 20) > 0, 9);
            n.chunk[a] = zc_random_range(1, 4);
        }
        const int changes = (int)zc_random_range(0, 4);
        const zc_tensor *t = from_numbers(b.ctx, &n), *wanted = in_memory(b.ctx, &n);
        const zc_random_place place = zc_random_mark();
        for (int c = 0; c < changes; c++)
            t = change(b.ctx, t);
        zc_random_return(&place);
        for (int c = 0; c < changes; c++)
            wanted = change(b.ctx, wanted);
        char what[32];
        (void)snprintf(what, sizeof what, "program %d", i);
        expect_same(t, wanted, what);
        finish(b);
        cr_assert_eq(n.releases, 1, "program %d", i);
    }
}

/* Rows that are read in windows of all kinds: straight, with gaps, sparse, across, longer than a piece. */
Test(source, is_read_in_windows_of_all_kinds)
{
    zc_skip_of_one_thread();
    bench b = begin_with((zc_options){.threads = 1});
    numbered n = numbers(ZC_FLOAT32, 2, LENGTHS(3000, 1100), LENGTHS(7, 64));
    const zc_tensor *t = from_numbers(b.ctx, &n), *m = in_memory(b.ctx, &n);
    for (int64_t step = 1; step < 200; step *= 3) {
        expect_same(zc_copy(zc_slice(t, 1, 2, 1000, step)), zc_copy(zc_slice(m, 1, 2, 1000, step)), "columns");
        expect_same(zc_copy(zc_slice(t, 0, 5, 2999, step)), zc_copy(zc_slice(m, 0, 5, 2999, step)), "rows");
        expect_same(zc_copy(zc_slice(zc_slice(t, 0, 5, 2999, step), 1, 3, 900, step)),
                    zc_copy(zc_slice(zc_slice(m, 0, 5, 2999, step), 1, 3, 900, step)), "both");
    }
    expect_same(zc_copy(zc_matrix_transpose(t)), zc_copy(zc_matrix_transpose(m)), "transposed");
    float *target = calloc(3000 * 1101, sizeof *target), *other = calloc(3000 * 1101, sizeof *other);
    const size_t bytes = (size_t)3000 * 1101 * sizeof *target;
    cr_assert_eq(zc_materialize_into(t, target, bytes, LENGTHS(1101, 1), 1), ZC_OK);
    cr_assert_eq(zc_materialize_into(m, other, bytes, LENGTHS(1101, 1), 1), ZC_OK);
    cr_expect_eq(memcmp(target, other, bytes), 0);
    free(target);
    free(other);
    finish(b);
    cr_expect_eq(n.releases, 1);
}

/* A random part of one axis, backwards or forwards; the same for equal draws. */
static const zc_tensor *cut(const zc_tensor *t, int axis)
{
    static const int64_t steps[] = {1, 1, 1, 2, 3, 63, 64, 100};
    const int64_t extent = zc_shape(t)[axis], from = zc_random_range(0, extent / 3),
                  step = steps[zc_random_range(0, 7)];
    t = zc_slice(t, axis, from, extent - zc_random_range(0, extent / 3), step);
    return zc_random_range(0, 3) == 0 ? zc_flip(t, ZC_AXES(axis)) : t;
}

/* Axes are short and long, and some windows larger than a piece. */
Test(source, is_read_in_random_windows)
{
    static const int64_t extents[] = {1, 2, 5, 40, 300, 2500};
    static const zc_dtype dtypes[] = {ZC_BOOL, ZC_INT16, ZC_FLOAT32, ZC_FLOAT64};
    zc_skip_of_one_thread();
    zc_random_begin("source, windows");
    for (int i = 0; i < zc_test_count(120); i++) {
        bench b = begin_with((zc_options){.threads = 1, .recompute = true});
        numbered n = {.rank = 3, .dtype = dtypes[zc_random_range(0, 3)]};
        int64_t left = 3 << 20;
        for (int a = 0; a < n.rank; a++) {
            const int64_t drawn = extents[zc_random_range(0, 5)];
            n.shape[a] = drawn < left ? drawn : left;
            n.chunk[a] = zc_random_bool() ? n.shape[a] : zc_random_range(1, n.shape[a]);
            left /= n.shape[a];
        }
        const zc_tensor *t = from_numbers(b.ctx, &n), *wanted = in_memory(b.ctx, &n);
        const zc_random_place place = zc_random_mark();
        for (int a = 0; a < n.rank; a++)
            t = cut(t, a);
        zc_random_return(&place);
        for (int a = 0; a < n.rank; a++)
            wanted = cut(wanted, a);
        const int order[] = {2, 0, 1};
        const bool is_turned = zc_random_bool();
        char what[32];
        (void)snprintf(what, sizeof what, "window %d", i);
        if (is_turned) {
            t = zc_permute_dims(t, 3, order);
            wanted = zc_permute_dims(wanted, 3, order);
        }
        expect_same(zc_copy(t), zc_copy(wanted), what);
        finish(b);
    }
}

/* ---- What is read ---- */

Test(source, reads_what_is_shown)
{
    bench b = begin_with((zc_options){.threads = 1, .recompute = true});
    numbered n = numbers(ZC_INT16, 2, LENGTHS(1000, 500), NULL);
    const zc_tensor *t = from_numbers(b.ctx, &n);
    EXPECT(zc_slice(zc_index(t, 0, 700), 0, 3, 6, 1), 350003 % 251, 350004 % 251, 350005 % 251);
    cr_expect_eq(n.elements, 3);
    EXPECT(zc_index(zc_index(t, 1, 7), 0, 2), 1007 % 251);
    cr_expect_eq(n.elements, 4);
    const zc_tensor *rows = zc_from_data(b.ctx, ZC_INT64, 1, LENGTHS(3), LENGTHS(999, -1000, 17), 24);
    EXPECT(zc_sum(zc_slice(zc_take(t, rows, 0), 1, 0, 2, 1), ZC_ALL_AXES, false),
           (double)(499500 % 251 + 499501 % 251 + 0 + 1 + 8500 % 251 + 8501 % 251));
    cr_expect_eq(n.elements, 4 + 6);
    EXPECT(zc_broadcast_to(zc_index(zc_index(t, 0, 0), 0, 5), ZC_SHAPE(3)), 5, 5, 5);
    cr_expect_eq(n.elements, 4 + 6 + 1);
    cr_expect_leq(zc_memory_usage(b.ctx).held_bytes, 256);
    finish(b);
}

/* Standardized columns under a limit that holds some rows: four passes over whole chunks. */
Test(source, is_read_by_blocks_of_whole_chunks)
{
    enum { ROWS = 40000, COLUMNS = 256, ALL = ROWS * COLUMNS };
    zc_skip_of_one_thread();
    for (int chunk_rows = 100; chunk_rows <= 6400; chunk_rows *= 8) {
        bench b = begin_with((zc_options){.threads = 1, .memory_limit = 96 << 20});
        numbered n = numbers(ZC_FLOAT32, 2, LENGTHS(ROWS, COLUMNS), LENGTHS(chunk_rows, COLUMNS));
        const zc_tensor *t = from_numbers(b.ctx, &n);
        const zc_tensor *sums = zc_sum(zc_astype(t, ZC_FLOAT64), ZC_AXES(0), false);
        double wanted = 0;
        for (int64_t i = 3; i < ALL; i += COLUMNS)
            wanted += number_at(i);
        zc_memory_reset_peak(b.ctx);
        cr_expect_eq(value_at(sums, 3), wanted);
        cr_expect_eq(n.elements, ALL, "%d rows: %ld", chunk_rows, (long)n.elements);
        cr_expect_eq(n.misaligned, 0, "%d rows: %ld, %ld", chunk_rows, (long)n.misaligned, (long)n.reads);
        cr_expect_leq(zc_memory_usage(b.ctx).peak_bytes, (int64_t)16 << 20);
        finish(b);
    }
}

Test(source, does_not_fit_where_all_of_it_is_needed)
{
    bench b = begin_with((zc_options){.threads = 1, .memory_limit = 1 << 20});
    numbered n = numbers(ZC_FLOAT32, 1, LENGTHS(1 << 20), NULL);
    const zc_tensor *t = from_numbers(b.ctx, &n);
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(t, &out), ZC_ERROR_BUDGET);
    cr_expect(n.reads == 0 && out == NULL);
    zc_error_clear(b.ctx);
    EXPECT(zc_slice(t, 0, 1, 3, 1), 1, 2);
    finish(b);
}

/* ---- Sinks of chunks ---- */

typedef struct grid {
    int rank;
    int64_t shape[MOST_RANK], chunk[MOST_RANK];
    float *all; /* what came */
    int64_t elements, writes;
} grid;

static const char *write_grid(void *user, const int64_t *start, const int64_t *count, const void *elements)
{
    grid *g = user;
    int64_t size = 1;
    for (int a = 0; a < g->rank; a++) {
        const bool ends = start[a] + count[a] == g->shape[a];
        cr_assert(start[a] % g->chunk[a] == 0 && (ends || count[a] % g->chunk[a] == 0), "axis %d", a);
        size *= count[a];
    }
    for (int64_t i = 0; i < size; i++) {
        int64_t left = i, place = 0, row = 1;
        for (int a = g->rank - 1; a >= 0; a--) {
            place += (start[a] + left % count[a]) * row;
            left /= count[a];
            row *= g->shape[a];
        }
        g->all[place] += ((const float *)elements)[i] + 1; /* each once */
    }
    g->elements += size;
    g->writes++;
    return NULL;
}

Test(source, results_leave_in_whole_chunks)
{
    const int count = zc_test_count(40);
    zc_random_begin("source, chunks");
    for (int i = 0; i < count; i++) {
        bench b = begin_with((zc_options){.threads = 1, .memory_limit = i % 2 == 0 ? 0 : 6 << 20});
        numbered n = {.rank = (int)zc_random_range(1, 3), .dtype = ZC_FLOAT32};
        grid g = {.rank = n.rank};
        int64_t size = 1;
        for (int a = 0; a < n.rank; a++) {
            g.shape[a] = n.shape[a] = zc_random_range(1, n.rank == 1 ? 3000000 : n.rank == 2 ? 1700 : 140);
            n.chunk[a] = zc_random_range(1, 50);
            g.chunk[a] = zc_random_range(1, 200);
            size *= n.shape[a];
        }
        g.all = calloc((size_t)size, sizeof *g.all);
        const zc_tensor *t = from_numbers(b.ctx, &n);
        const zc_sink sink = {.user = &g, .write = write_grid, .chunk = g.chunk};
        cr_assert_eq(zc_materialize_to(zc_add(t, zc_weak_int(b.ctx, 1)), &sink), ZC_OK, "%s", zc_error_text(b.ctx));
        cr_assert_eq(g.elements, size, "case %d", i);
        for (int64_t p = 0; p < size; p++)
            cr_assert_eq(g.all[p], (float)number_at(p) + 2, "case %d, place %ld", i, (long)p);
        free(g.all);
        finish(b);
    }
}

/* ---- What goes wrong ---- */

Test(source, tells_why_it_cannot_be_read)
{
    for (int at = 1; at <= 3; at++) {
        bench b = begin_with((zc_options){.threads = 2});
        numbered n = numbers(ZC_FLOAT32, 2, LENGTHS(9000, 600), LENGTHS(100, 600));
        n.fails_at = at;
        const zc_tensor *t = from_numbers(b.ctx, &n);
        expect_failing(b, zc_sum(t, ZC_AXES(0), false), ZC_ERROR_FILE, "from_source: the line is down");
        n.fails_at = 0;
        cr_expect_eq(value_at(zc_index(t, 0, 3), 1), number_at(1801));
        finish(b);
    }
}

static bool stop(void *user, int64_t done, int64_t of)
{
    (void)user;
    return done >= 0 && of < 0;
}

Test(source, stops_on_request)
{
    bench b = begin_with((zc_options){.threads = 1});
    numbered n = numbers(ZC_FLOAT32, 2, LENGTHS(9000, 600), NULL);
    const zc_tensor *t = from_numbers(b.ctx, &n);
    zc_tensor *out = NULL;
    zc_set_progress(b.ctx, stop, NULL);
    cr_expect_eq(zc_materialize(zc_sum(t, ZC_AXES(1), false), &out), ZC_CANCELLED);
    zc_set_progress(b.ctx, NULL, NULL);
    zc_error_clear(b.ctx);
    const zc_tensor *rows = zc_from_data(b.ctx, ZC_INT64, 1, LENGTHS(2), LENGTHS(2, 7), 16);
    zc_set_progress(b.ctx, stop, NULL);
    cr_expect_eq(zc_materialize(zc_take(t, zc_add(rows, rows), 0), &out), ZC_CANCELLED);
    zc_set_progress(b.ctx, NULL, NULL);
    zc_error_clear(b.ctx);
    finish(b);
}

/* Reads zeros, and asks the context, which *user is, to stop. */
static const char *read_and_stop(void *user, const int64_t *start, const int64_t *count, void *elements)
{
    (void)start;
    memset(elements, 0, (size_t)(count[0] * count[1]) * sizeof(double));
    zc_cancel(*(zc_context **)user);
    return NULL;
}

Test(source, stops_between_pieces)
{
    zc_skip_of_one_thread();
    bench b = begin_with((zc_options){.threads = 1});
    const int64_t positions[] = {1, 1, 0};
    const zc_source source = {.user = &b.ctx, .read = read_and_stop};
    zc_tensor *t = zc_from_source(b.ctx, ZC_FLOAT64, ZC_SHAPE(3, 1200000), &source), *out = NULL;
    const zc_tensor *rows = zc_from_data(b.ctx, ZC_INT64, ZC_SHAPE(3), positions, sizeof positions);
    cr_expect_eq(zc_materialize(zc_copy(t), &out), ZC_CANCELLED);
    cr_expect_eq(zc_materialize(zc_take(t, rows, 0), &out), ZC_CANCELLED);
    zc_error_clear(b.ctx);
    finish(b);
}

/* Rows are longer than a piece, in chunks of one row and of several. */
Test(source, is_read_in_pieces_of_rows)
{
    zc_skip_of_one_thread();
    for (int64_t chunk = 1; chunk <= 3; chunk += 2) {
        bench b = begin_with((zc_options){.threads = 1, .recompute = true});
        numbered n = numbers(ZC_FLOAT64, 2, LENGTHS(3, 1200000), LENGTHS(chunk, 1000));
        const zc_tensor *t = from_numbers(b.ctx, &n), *wanted = in_memory(b.ctx, &n);
        expect_same(zc_copy(t), zc_copy(wanted), "rows");
        expect_same(zc_copy(zc_slice(t, 0, 1, 2, 1)), zc_copy(zc_slice(wanted, 0, 1, 2, 1)), "a row");
        finish(b);
    }
}

Test(source, of_wrong_positions_is_refused)
{
    bench b = begin();
    numbered n = numbers(ZC_FLOAT32, 2, LENGTHS(30, 6), NULL);
    const zc_tensor *t = from_numbers(b.ctx, &n);
    const zc_tensor *rows = zc_from_data(b.ctx, ZC_INT64, 1, LENGTHS(3), LENGTHS(2, 30, -31), 24);
    expect_failing(b, zc_take(t, rows, 0), ZC_ERROR_INDEX,
                   "take: position -31 is out of bounds for an axis of size 30");
    finish(b);
}

Test(source, that_is_none_is_refused)
{
    bench b = begin();
    numbered n = numbers(ZC_FLOAT32, 2, LENGTHS(3, 4), NULL);
    zc_source source = {.user = &n, .release = release_numbers};
    expect_refused(b, zc_from_source(b.ctx, ZC_FLOAT32, 2, n.shape, NULL), ZC_ERROR_ARGUMENT,
                   "from_source: source is NULL");
    expect_refused(b, zc_from_source(b.ctx, ZC_FLOAT32, 2, n.shape, &source), ZC_ERROR_ARGUMENT,
                   "from_source: the source has no read");
    source.read = read_numbers;
    source.chunk = LENGTHS(2, 0);
    expect_refused(b, zc_from_source(b.ctx, ZC_FLOAT32, 2, n.shape, &source), ZC_ERROR_ARGUMENT,
                   "from_source: a chunk has the extent 0 along axis 1");
    expect_refused(b, zc_from_source(b.ctx, ZC_FLOAT32, 2, LENGTHS(2, -1), &source), ZC_ERROR_ARGUMENT,
                   "from_source: size -1 of axis 1 of shape (2, -1) is negative");
    expect_refused(b, zc_from_source(b.ctx, (zc_dtype)99, 2, n.shape, &source), ZC_ERROR_DTYPE,
                   "from_source: 99 is not a dtype");
    cr_expect_eq(n.releases, 4);
    zc_error_clear(NULL);
    cr_expect_null(zc_from_source(NULL, ZC_FLOAT32, 2, n.shape, &source));
    cr_expect_null(zc_from_source(NULL, ZC_FLOAT32, 2, n.shape, NULL));
    zc_error_clear(NULL);
    cr_expect_eq(n.releases, 5);
    source = (zc_source){.user = &n, .read = read_numbers};
    zc_tensor *t = zc_from_source(b.ctx, ZC_FLOAT32, 2, n.shape, &source);
    const zc_sink sink = {.user = &n, .write = write_grid, .chunk = LENGTHS(0, 1)};
    cr_assert_eq(zc_materialize_to(t, &sink), ZC_ERROR_ARGUMENT);
    cr_expect_str_eq(zc_error_text(b.ctx), "materialize_to: a chunk has the extent 0 along axis 0");
    zc_error_clear(b.ctx);
    finish(b);
}

/* Windows of a source, in another context over a source that has the same elements. */
Test(source, is_an_input_of_what_travels)
{
    bench b = begin_with((zc_options){.threads = 1}), other = begin_with((zc_options){.threads = 1});
    numbered n = numbers(ZC_FLOAT32, 2, LENGTHS(30, 40), LENGTHS(4, 5)), there = n;
    zc_serialized *graph = NULL;
    const zc_tensor *const *inputs;
    zc_tensor *out = NULL;
    size_t bytes;
    const zc_tensor *t = from_numbers(b.ctx, &n);
    const zc_tensor *y = zc_subtract(zc_slice(t, 0, 5, 9, 1), zc_mean(t, ZC_AXES(0), true));
    cr_assert_eq(zc_serialize(TENSORS(y), &graph), ZC_OK);
    cr_assert_eq(zc_serialized_inputs(graph, &inputs), 1);
    cr_expect(zc_source_of(inputs[0])->user == &n && zc_size(inputs[0]) == 1200 && zc_source_of(y) == NULL);
    cr_expect_null(zc_source_of(NULL));
    const void *words = zc_serialized_bytes(graph, &bytes);
    const zc_tensor *all = zc_reshape(from_numbers(other.ctx, &there), ZC_SHAPE(1200));
    const zc_tensor *part = zc_slice(all, 0, 1, 1200, 1);
    cr_assert_eq(zc_deserialize(other.ctx, words, bytes, TENSORS(part), 1, &out), ZC_ERROR_FORMAT);
    zc_error_clear(other.ctx);
    cr_assert_eq(zc_deserialize(other.ctx, words, bytes, TENSORS(all), 1, &out), ZC_OK, "%s", zc_error_text(other.ctx));
    cr_expect_eq(n.reads + there.reads, 0);
    expect_same(out, y, "elsewhere");
    zc_serialized_free(graph);
    finish(other);
    finish(b);
    cr_expect_eq(n.releases + there.releases, 2);
}

/* Elements that were bought, or asked for, do not travel: whoever takes the bytes has a source of them. */
Test(source, is_an_input_where_its_elements_are_in_memory)
{
    enum { ROWS = 3000, COLUMNS = 1000, RUNS = 4 };
    bench b = begin_with((zc_options){.threads = 1});
    numbered n = numbers(ZC_FLOAT32, 2, LENGTHS(ROWS, COLUMNS), NULL);
    const zc_tensor *t = from_numbers(b.ctx, &n), *y = zc_subtract(t, zc_mean(t, ZC_AXES(0), true));
    size_t before = 0;
    for (int run = 0; run < RUNS; run++) {
        zc_serialized *graph = NULL;
        const zc_tensor *const *inputs;
        zc_tensor *out = NULL;
        size_t bytes;
        cr_assert_eq(zc_serialize(TENSORS(y), &graph), ZC_OK);
        const void *words = zc_serialized_bytes(graph, &bytes);
        cr_assert_eq(zc_serialized_inputs(graph, &inputs), 1);
        cr_expect(bytes == before || run == 0, "run %d: %zu bytes", run, bytes);
        cr_expect(zc_source_of(inputs[0]) != NULL && zc_source_of(inputs[0]) == zc_source_of(t), "run %d", run);
        cr_expect_eq(zc_size(inputs[0]), ROWS * COLUMNS);
        cr_assert_eq(zc_deserialize(b.ctx, words, bytes, 1, inputs, 1, &out), ZC_OK, "%s", zc_error_text(b.ctx));
        expect_same(zc_slice(out, 0, 3, 5, 1), zc_slice(y, 0, 3, 5, 1), "restored");
        before = bytes;
        zc_serialized_free(graph);
        (void)result_of(run < RUNS - 2 ? zc_sum(t, ZC_AXES(run), false) : t);
    }
    cr_expect(zc_source_of(t)->user == &n && zc_memory_usage(b.ctx).held_bytes >= ROWS * COLUMNS * 4);
    finish(b);
    cr_expect_eq(n.releases, 1);
}

/* Reads a tensor once that is computed as a whole and kept. */
Test(source, is_read_once_where_it_is_materialized)
{
    bench b = begin_with((zc_options){.threads = 1});
    numbered n = numbers(ZC_FLOAT32, 2, LENGTHS(30, 40), NULL);
    const zc_tensor *t = from_numbers(b.ctx, &n);
    zc_serialized *graph = NULL;
    (void)result_of(t);
    EXPECT(zc_sum(t, ZC_ALL_AXES, false), value_at(zc_sum(in_memory(b.ctx, &n), ZC_ALL_AXES, false), 0));
    cr_expect_eq(n.elements, 30 * 40);
    cr_assert_eq(zc_serialize(TENSORS(zc_add(t, t)), &graph), ZC_OK);
    zc_serialized_free(graph);
    finish(b);
}

Test(source, failing_allocations_leave_nothing)
{
    zc_failing state = {0};
    const zc_allocator allocator = zc_failing_allocator(&state);
    bool is_done = false;
    for (int64_t k = 1; !is_done; k++) {
        zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .allocator = &allocator});
        zc_scope *scope = zc_scope_begin(ctx);
        numbered n = numbers(ZC_FLOAT32, 2, LENGTHS(50, 60), NULL);
        const int64_t rows[] = {3, 4};
        state.fail_at = state.calls + k;
        const zc_tensor *t = from_numbers(ctx, &n);
        const zc_tensor *taken = zc_take(t, zc_from_data(ctx, ZC_INT64, 1, LENGTHS(2), rows, sizeof rows), 0);
        zc_tensor *out = NULL;
        const zc_status status =
            zc_materialize(zc_add(zc_sum(zc_slice(t, 1, 0, 60, 2), ZC_ALL_AXES, false), taken), &out);
        is_done = state.calls < state.fail_at;
        state.fail_at = 0;
        cr_expect_eq(status == ZC_OK, is_done, "allocation %ld", (long)k);
        zc_failing_count();
        zc_scope_end(scope);
        zc_context_free(ctx);
        cr_assert_eq(state.blocks, 0, "allocation %ld", (long)k);
        cr_assert_eq(n.releases, 1, "allocation %ld", (long)k);
    }
    cr_expect_eq(state.faults, 0);
}
