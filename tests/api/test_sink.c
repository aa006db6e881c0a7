/* Results that leave in blocks: to a sink and to files; values, memory, limits, and what goes wrong on the way. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/api/values.h"
#include "tests/support/failing.h"
#include "tests/support/random.h"

enum { MOST_RANK = 4, BLOCK = 4 << 20 };

/* A sink that expects elements in row-major order, and counts its calls. */
typedef struct given {
    int rank, begins, writes, ends;
    int64_t shape[MOST_RANK];
    int64_t elements, bytes; /* that came so far; of the largest block */
    size_t item;
    const unsigned char *wanted; /* all elements in row-major order; NULL: nothing is compared */
    bool is_complete;
    int fails_at; /* the call that returns a sentence, from 1; 0: none */
    int calls;
} given;

static const char *answer(given *g)
{
    return ++g->calls == g->fails_at ? "the disk is on fire" : NULL;
}

static const char *begin_sink(void *user, zc_dtype dtype, int rank, const int64_t *shape)
{
    given *g = user;
    g->begins++;
    g->rank = rank;
    g->item = zc_dtype_bytes(dtype);
    memcpy(g->shape, shape, (size_t)rank * sizeof *shape);
    return answer(g);
}

/* The place of the first element in the result; expects that the block is consecutive there. */
static int64_t place_of(const given *g, const int64_t *start, const int64_t *count)
{
    int64_t place = 0;
    bool is_split = false; /* an axis further out is not taken as one index */
    for (int a = 0; a < g->rank; a++) {
        place = place * g->shape[a] + start[a];
        cr_assert(start[a] >= 0 && count[a] > 0 && start[a] + count[a] <= g->shape[a], "axis %d", a);
        cr_assert(!is_split || count[a] == g->shape[a], "axis %d", a);
        is_split |= count[a] > 1;
    }
    return place;
}

static const char *write_sink(void *user, const int64_t *start, const int64_t *count, const void *elements)
{
    given *g = user;
    int64_t size = 1;
    for (int a = 0; a < g->rank; a++)
        size *= count[a];
    cr_assert_eq(place_of(g, start, count), g->elements);
    const size_t bytes = (size_t)size * g->item;
    if (g->wanted != NULL)
        cr_assert_eq(memcmp(g->wanted + (size_t)g->elements * g->item, elements, bytes), 0, "block %d", g->writes);
    g->writes++;
    g->elements += size;
    g->bytes = (int64_t)bytes > g->bytes ? (int64_t)bytes : g->bytes;
    return answer(g);
}

static const char *end_sink(void *user, bool is_complete)
{
    given *g = user;
    g->ends++;
    g->is_complete = is_complete;
    return answer(g);
}

static zc_status hand(const zc_tensor *t, given *g)
{
    const zc_sink sink = {.user = g, .begin = begin_sink, .write = write_sink, .end = end_sink};
    return zc_materialize_to(t, &sink);
}

/* 0, 1, 2 ... times a number, computed. */
static zc_tensor *computed(zc_context *ctx, int rank, const int64_t *shape)
{
    int64_t size = 1;
    for (int a = 0; a < rank; a++)
        size *= shape[a];
    return zc_reshape(zc_multiply(zc_astype(zc_iota(ctx, size), ZC_INT32), zc_weak_int(ctx, 7)), rank, shape);
}

/* ---- Values ---- */

static void expect_all(bench b, const zc_tensor *t, int least_blocks)
{
    given g = {0};
    zc_tensor *whole = NULL;
    const int64_t size = zc_size(t);
    int32_t *wanted = malloc((size_t)(size + 1) * sizeof *wanted);
    cr_assert_eq(hand(t, &g), ZC_OK, "%s", zc_error_text(b.ctx));
    cr_assert_eq(zc_copy_to(t, ZC_INT32, wanted, (size_t)size * sizeof *wanted), ZC_OK);
    cr_expect(g.begins == 1 && g.ends == 1 && g.is_complete && g.writes >= least_blocks, "%d blocks", g.writes);
    cr_expect_eq(g.elements, size);
    cr_expect_leq(g.bytes, (int64_t)BLOCK);
    g = (given){.wanted = (const unsigned char *)wanted};
    cr_assert_eq(hand(t, &g), ZC_OK); /* which may be computed and kept by now */
    zc_release(whole);
    free(wanted);
}

Test(sink, takes_all_elements_in_order)
{
    zc_skip_of_one_thread();
    bench b = begin();
    expect_all(b, computed(b.ctx, 2, LENGTHS(3001, 1003)), 3);
    expect_all(b, computed(b.ctx, 3, LENGTHS(2, 3, 500001)), 3);
    expect_all(b, computed(b.ctx, 4, LENGTHS(1, 2, 1200000, 1)), 3);
    expect_all(b, zc_matrix_transpose(computed(b.ctx, 2, LENGTHS(2003, 1003))), 2);
    expect_all(b, zc_broadcast_to(result_of(computed(b.ctx, 1, LENGTHS(1003))), ZC_SHAPE(3001, 1003)), 3);
    expect_all(b, zc_matrix_transpose(result_of(computed(b.ctx, 2, LENGTHS(2003, 1003)))), 2);
    expect_all(b, result_of(computed(b.ctx, 2, LENGTHS(2003, 1003))), 2);
    expect_all(b, computed(b.ctx, 0, NULL), 1);
    expect_all(b, computed(b.ctx, 2, LENGTHS(3, 5)), 1);
    expect_all(b, computed(b.ctx, 2, LENGTHS(3, 0)), 0);
    finish(b);
}

/* ---- Memory ---- */

/* Columns with mean 0 and variance 1: both are sums over all rows, which each block reads. */
static zc_tensor *standard(zc_context *ctx, int64_t rows)
{
    const zc_tensor *x = zc_astype(computed(ctx, 2, LENGTHS(rows, 256)), ZC_FLOAT32);
    const zc_tensor *apart = zc_subtract(x, zc_mean(x, ZC_AXES(0), true));
    return zc_divide(apart, zc_sqrt(zc_mean(zc_square(apart), ZC_AXES(0), true)));
}

Test(sink, needs_memory_for_a_block)
{
    enum { ROWS = 40000 };
    zc_skip_of_one_thread();
    bench b = begin_with((zc_options){.threads = 1}), other = begin_with((zc_options){.threads = 1});
    zc_tensor *wanted = result_of(standard(other.ctx, ROWS));
    given g = {.wanted = zc_data(wanted)};
    zc_memory_reset_peak(b.ctx);
    cr_assert_eq(hand(standard(b.ctx, ROWS), &g), ZC_OK, "%s", zc_error_text(b.ctx));
    cr_expect_leq(zc_memory_usage(b.ctx).peak_bytes, (int64_t)3 * BLOCK, "%ld",
                  (long)zc_memory_usage(b.ctx).peak_bytes);
    cr_expect_eq(g.elements, ROWS * 256);
    finish(other);
    finish(b);
}

Test(sink, has_shorter_blocks_below_a_limit)
{
    bench b = begin_with((zc_options){.threads = 1, .memory_limit = 1 << 19});
    given g = {0};
    cr_assert_eq(hand(computed(b.ctx, 2, LENGTHS(4000, 1000)), &g), ZC_OK, "%s", zc_error_text(b.ctx));
    cr_expect(g.elements == 4000000 && g.bytes <= 1 << 19, "%ld", (long)g.bytes);
    zc_tensor *deep = computed(b.ctx, 1, LENGTHS(1 << 18));
    deep = zc_cumulative_sum(deep, 0, false); /* each element of all before it */
    g = (given){0};
    cr_assert_eq(hand(deep, &g), ZC_ERROR_BUDGET);
    cr_expect(g.begins == 0 && g.ends == 0);
    zc_error_clear(b.ctx);
    finish(b);
}

/* ---- Failures ---- */

Test(sink, may_refuse_at_each_call)
{
    bench b = begin_with((zc_options){.threads = 1});
    int calls = 1;
    for (int at = 1; at <= calls; at++) {
        given g = {.fails_at = at};
        cr_assert_eq(hand(computed(b.ctx, 2, LENGTHS(3000, 1000)), &g), ZC_ERROR_FILE);
        cr_expect_str_eq(zc_error_text(b.ctx), "materialize_to: the disk is on fire");
        cr_expect_eq(g.ends, at > 1 ? 1 : 0);
        cr_expect_eq(g.is_complete, g.elements == 3000000 && g.calls == at && g.ends == 1 && at == calls && at > 1);
        calls = at == 1 ? 2 + 3 : calls; /* begin, end and the blocks */
        zc_error_clear(b.ctx);
        cr_expect_eq(zc_memory_usage(b.ctx).held_bytes, 0);
    }
    finish(b);
}

Test(sink, that_is_none_is_refused)
{
    bench b = begin();
    const zc_sink none = {.user = NULL};
    cr_assert_eq(zc_materialize_to(zc_weak_int(b.ctx, 1), NULL), ZC_ERROR_ARGUMENT);
    cr_expect_str_eq(zc_error_text(b.ctx), "materialize_to: sink is NULL");
    zc_error_clear(b.ctx);
    cr_assert_eq(zc_materialize_to(zc_weak_int(b.ctx, 1), &none), ZC_ERROR_ARGUMENT);
    cr_expect_str_eq(zc_error_text(b.ctx), "materialize_to: sink has no write");
    zc_error_clear(b.ctx);
    zc_error_clear(NULL);
    cr_assert_eq(zc_materialize_to(NULL, &none), ZC_ERROR_ARGUMENT);
    cr_expect_str_eq(zc_error_text(NULL), "materialize_to: t is NULL");
    zc_error_clear(NULL);
    finish(b);
}

static bool stop_at(void *user, int64_t done, int64_t of)
{
    cr_expect(done >= 0 && done <= of);
    return --*(int *)user != 0;
}

Test(sink, stops_on_request)
{
    int call = 0, left = 0;
    do {
        bench b = begin_with((zc_options){.threads = 1});
        given g = {0};
        left = ++call;
        zc_set_progress(b.ctx, stop_at, &left);
        const zc_status status = hand(computed(b.ctx, 2, LENGTHS(3000, 1000)), &g);
        zc_set_progress(b.ctx, NULL, NULL);
        cr_expect_eq(status, left <= 0 ? ZC_CANCELLED : ZC_OK, "report %d", call);
        cr_expect(g.begins == g.ends && g.is_complete == (status == ZC_OK));
        zc_error_clear(b.ctx);
        finish(b);
    } while (left <= 0);
    cr_expect_gt(call, 3);
}

static char path[64];

static void remove_file(void)
{
    (void)unlink(path);
}

/* A path of this process, whose file is removed in the end. */
static const char *name_file(const char *ending)
{
    (void)snprintf(path, sizeof path, "sink-%ld.%s", (long)getpid(), ending);
    cr_assert_eq(atexit(remove_file), 0);
    return path;
}

Test(sink, failing_allocations_leave_nothing)
{
    zc_skip_of_one_thread();
    zc_failing state = {0};
    const zc_allocator allocator = zc_failing_allocator(&state);
    bool is_done = false;
    const char *file = name_file("npy");
    for (int64_t k = 1; !is_done; k += zc_test_stride()) {
        zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .allocator = &allocator});
        zc_scope *scope = zc_scope_begin(ctx);
        const zc_tensor *t = standard(ctx, 5000);
        const zc_tensor *sums = zc_cumulative_sum(computed(ctx, 1, LENGTHS(100)), 0, false);
        given g = {0};
        state.fail_at = state.calls + k;
        zc_status status = hand(t, &g);
        if (status == ZC_OK)
            status = zc_save(t, file);
        given of_one_block = {0};
        if (status == ZC_OK)
            status = hand(sums, &of_one_block);
        is_done = state.calls < state.fail_at;
        state.fail_at = 0;
        cr_expect(is_done ? status == ZC_OK : status == ZC_OK || status == ZC_ERROR_MEMORY, "allocation %ld", (long)k);
        cr_expect_eq(g.begins, g.ends);
        zc_failing_count();
        zc_scope_end(scope);
        zc_context_free(ctx);
        cr_assert_eq(state.blocks, 0, "allocation %ld", (long)k);
    }
    cr_expect_eq(state.faults, 0);
}

/* ---- Files ---- */

static int64_t bytes_of_file(const char *file)
{
    struct stat status;
    return stat(file, &status) == 0 ? (int64_t)status.st_size : -1;
}

Test(sink, files_may_be_larger_than_the_limit)
{
    enum { ROWS = 30000, BYTES = ROWS * 256 * 4 };
    zc_skip_of_one_thread();
    bench b = begin_with((zc_options){.threads = 1, .memory_limit = 8 << 20}), other = begin();
    const char *file = name_file("npy");
    cr_assert_eq(zc_save(standard(b.ctx, ROWS), file), ZC_OK, "%s", zc_error_text(b.ctx));
    zc_tensor *back = zc_open(other.ctx, file), *wanted = result_of(standard(other.ctx, ROWS));
    cr_assert(back != NULL && zc_size(back) == ROWS * 256, "%s", zc_error_text(other.ctx));
    cr_expect_eq(memcmp(zc_data(back), zc_data(wanted), BYTES), 0);
    cr_assert_eq(zc_save(zc_broadcast_to(zc_weak_int(b.ctx, 3), ZC_SHAPE(3000, 1000)), file), ZC_OK);
    cr_expect_eq(bytes_of_file(file), 24000000 + 128);
    finish(other);
    finish(b);
}

/* Several results are computed together where there is memory, else each while it is written. */
Test(sink, files_of_several_results_fit_one_by_one)
{
    enum { ROWS = 10000 };
    bench b = begin_with((zc_options){.threads = 1, .memory_limit = 8 << 20}), other = begin();
    const zc_tensor *first = computed(b.ctx, 2, LENGTHS(ROWS, 256)), *second = zc_negative(first);
    const char *file = name_file("npz");
    cr_assert_null(zc_index(first, 0, ROWS)); /* a failure that stays the first one */
    cr_assert_eq(zc_save_members(2, (const zc_tensor *const[]){first, second}, (const char *const[]){"a", "b"}, file),
                 ZC_OK, "%s", zc_error_text(b.ctx));
    cr_expect_eq(zc_error_status(b.ctx), ZC_ERROR_INDEX);
    zc_error_clear(b.ctx);
    char member[80];
    (void)snprintf(member, sizeof member, "%s:b", file);
    zc_tensor *back = zc_open(other.ctx, member);
    cr_assert_not_null(back, "%s", zc_error_text(other.ctx));
    EXPECT(zc_all(zc_equal(back, zc_negative(computed(other.ctx, 2, LENGTHS(ROWS, 256)))), ZC_ALL_AXES, false), 1);
    finish(other);
    finish(b);
}

/* A file that is read while its successor is written is the old one. */
Test(sink, a_file_may_be_made_of_itself)
{
    bench b = begin_with((zc_options){.threads = 1});
    const char *file = name_file("npy");
    cr_assert_eq(zc_save(computed(b.ctx, 2, LENGTHS(3000, 1000)), file), ZC_OK);
    const zc_tensor *x = zc_open(b.ctx, file);
    cr_assert_eq(zc_save(zc_add(x, zc_flip(x, ZC_ALL_AXES)), file), ZC_OK, "%s", zc_error_text(b.ctx));
    zc_tensor *back = zc_open(b.ctx, file);
    EXPECT(zc_min(back, ZC_ALL_AXES, false), 7.0 * 2999999);
    EXPECT(zc_max(back, ZC_ALL_AXES, false), 7.0 * 2999999);
    finish(b);
}

/* ---- What is computed ---- */

/* Windows of a tensor that is not asked for as a whole are computed alone. */
Test(sink, takes_one_window_after_the_other)
{
    enum { ROWS = 3000, WINDOWS = 10 };
    zc_skip_of_one_thread();
    bench b = begin_with((zc_options){.threads = 1});
    const zc_tensor *x = zc_negative(computed(b.ctx, 2, LENGTHS(WINDOWS * ROWS, 1000)));
    for (int i = 0; i < WINDOWS; i++) {
        given g = {0};
        zc_memory_reset_peak(b.ctx);
        cr_assert_eq(hand(zc_slice(x, 0, i * ROWS, (i + 1) * ROWS, 1), &g), ZC_OK);
        cr_expect_leq(zc_memory_usage(b.ctx).peak_bytes, (int64_t)2 * BLOCK, "window %d", i);
    }
    cr_expect(!zc_is_view(x));
    finish(b);
}

static int64_t reports;

static bool count_reports(void *user, int64_t done, int64_t of)
{
    (void)user;
    (void)done;
    (void)of;
    reports++;
    return true;
}

/* Rows of zeros come first: what the others share is computed once for all that. */
Test(sink, shares_what_later_blocks_share)
{
    enum { ROWS = 40000 };
    zc_skip_of_one_thread();
    bench b = begin_with((zc_options){.threads = 1, .memory_limit = 12 << 20}), other = begin();
    const zc_tensor *zeros = zc_full(b.ctx, ZC_SHAPE(9000, 256), ZC_FLOAT32, 0);
    const zc_tensor *t = zc_concat(b.ctx, TENSORS(zeros, standard(b.ctx, ROWS)), 0);
    zc_tensor *wanted = result_of(standard(other.ctx, ROWS));
    given g = {0};
    zc_set_progress(b.ctx, count_reports, NULL);
    reports = 0;
    cr_assert_eq(hand(t, &g), ZC_OK, "%s", zc_error_text(b.ctx));
    cr_expect_eq(g.elements, (ROWS + 9000) * 256);
    const int64_t of_all = reports;
    g = (given){.wanted = zc_data(wanted)};
    reports = 0;
    cr_assert_eq(hand(zc_slice(t, 0, 9000, ZC_NONE, 1), &g), ZC_OK, "%s", zc_error_text(b.ctx));
    cr_expect_lt(of_all, 8 * reports + 400, "%ld reports, then %ld", (long)of_all, (long)reports);
    finish(other);
    finish(b);
}

Test(sink, divides_inner_axes_and_copies_below_a_limit)
{
    zc_skip_of_one_thread();
    bench b = begin_with((zc_options){.threads = 1, .memory_limit = 1 << 20});
    given g = {0};
    cr_assert_eq(hand(computed(b.ctx, 3, LENGTHS(10, 1000, 1000)), &g), ZC_OK, "%s", zc_error_text(b.ctx));
    cr_expect_eq(g.elements, 10000000);
    finish(b);
    b = begin_with((zc_options){.threads = 1, .memory_limit = 17 << 20});
    zc_tensor *x = result_of(computed(b.ctx, 2, LENGTHS(2000, 2000)));
    g = (given){0};
    cr_assert_eq(hand(zc_matrix_transpose(x), &g), ZC_OK, "%s", zc_error_text(b.ctx));
    cr_expect(g.elements == 4000000 && g.bytes < 1 << 20, "%ld", (long)g.bytes);
    finish(b);
}

/* Elements that runs have kept stay such that they may go. */
Test(sink, asks_for_nothing_that_was_kept)
{
    zc_skip_of_one_thread();
    bench b = begin_with((zc_options){.threads = 1});
    const zc_tensor *x = zc_sqrt(zc_astype(computed(b.ctx, 1, LENGTHS(1 << 20)), ZC_FLOAT32));
    for (int i = 0; i < 3; i++)
        (void)value_at(sum_of_all(x), 0);
    const int64_t kept = zc_memory_usage(b.ctx).kept_bytes;
    given g = {0};
    cr_assert_eq(hand(x, &g), ZC_OK);
    cr_expect(kept > 0 && zc_memory_usage(b.ctx).kept_bytes == kept, "%ld", (long)kept);
    finish(b);
}

Test(sink, may_have_a_write_alone)
{
    bench b = begin_with((zc_options){.threads = 1});
    given g = {.rank = 2, .shape = {3, 5}, .item = sizeof(int32_t)};
    const zc_sink sink = {.user = &g, .write = write_sink};
    cr_assert_eq(zc_materialize_to(computed(b.ctx, 2, LENGTHS(3, 5)), &sink), ZC_OK);
    cr_expect_eq(g.elements, 15);
    const zc_tensor *here = result_of(computed(b.ctx, 2, LENGTHS(3, 5)));
    g.elements = 0;
    zc_cancel(b.ctx);
    cr_expect_eq(zc_materialize_to(here, &sink), ZC_CANCELLED);
    cr_expect_eq(g.elements, 0);
    zc_error_clear(b.ctx);
    finish(b);
}

/* Means that do not fit beside a block are computed in each; those of another context as well. */
Test(sink, shares_what_fits_and_is_its_own)
{
    zc_skip_of_one_thread();
    for (int had_failed = 0; had_failed < 2; had_failed++) {
        bench b = begin_with((zc_options){.threads = 1, .memory_limit = 3 << 20});
        const zc_tensor *y = zc_astype(computed(b.ctx, 2, LENGTHS(12, 900000)), ZC_FLOAT32);
        given g = {0};
        if (had_failed)
            cr_assert_null(zc_index(y, 0, 99));
        cr_assert_eq(hand(zc_subtract(y, zc_mean(y, ZC_AXES(0), true)), &g), ZC_OK, "%s", zc_error_text(b.ctx));
        cr_expect_eq(g.elements, 12 * 900000);
        cr_expect_eq(zc_error_status(b.ctx) != ZC_OK, had_failed != 0);
        zc_error_clear(b.ctx);
        finish(b);
    }
    bench b = begin_with((zc_options){.threads = 1}), other = begin_with((zc_options){.threads = 1});
    given g = {0};
    const zc_tensor *x = zc_adopt(other.ctx, standard(b.ctx, 9000));
    cr_assert_eq(hand(zc_negative(x), &g), ZC_OK, "%s", zc_error_text(other.ctx));
    cr_expect_eq(g.elements, 9000 * 256);
    bench alone = begin_with((zc_options){.threads = 1, .recompute = true});
    g = (given){0};
    cr_assert_eq(hand(standard(alone.ctx, 9000), &g), ZC_OK, "%s", zc_error_text(alone.ctx));
    cr_expect_eq(g.elements, 9000 * 256);
    finish(alone);
    finish(other);
    finish(b);
}
