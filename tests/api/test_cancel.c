/*
 * Long work is watched and stopped: from the progress function at calls all over, from another thread, before a
 * call; with both executors, one thread and two.
 *
 * After every stop: the status and the sentence, no block more than before, and the same tensors computed again have
 * the bits of a call that nobody stopped.
 *
 * Longer than 500 lines because each kind of work that is stopped is a function.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/api/values.h"
#include "tests/support/failing.h"
#include "tests/support/random.h"

enum { MOST_RESULTS = 4, MOST_CALLS = 20000 };

/* ---- What is stopped: something recorded on x of shape (rows, 100), and the call that computes it ---- */

typedef struct scenario {
    const char *function; /* that the sentence names */
    zc_tensor *(*record)(zc_tensor *x);
    zc_status (*compute)(const zc_tensor *t, zc_tensor **out);
} scenario;

static zc_tensor *chain(zc_tensor *x)
{
    return zc_tanh(zc_add(zc_multiply(x, x), zc_weak_float(zc_context_of(x), 0.5)));
}
static zc_tensor *total(zc_tensor *x)
{
    return zc_sum(zc_square(x), ZC_ALL_AXES, false);
}
static zc_tensor *rows(zc_tensor *x)
{
    return zc_mean(x, ZC_AXES(1), false);
}
static zc_tensor *columns(zc_tensor *x)
{
    return zc_max(x, ZC_AXES(0), false);
}
static zc_tensor *numbers(zc_tensor *x)
{
    return zc_argmin(x, ZC_AXES(0), false);
}
static zc_tensor *windows(zc_tensor *x)
{
    return zc_sum(zc_sliding_window_view(x, ZC_SHAPE(3, 3), ZC_ALL_AXES), ZC_AXES(2, 3), false);
}
static zc_tensor *members(zc_tensor *x)
{
    return zc_isin(zc_slice(zc_index(x, 0, 0), 0, 0, 20, 1), x);
}
static zc_tensor *two_stages(zc_tensor *x)
{
    return zc_divide(x, zc_sum(x, ZC_ALL_AXES, false));
}
static zc_tensor *scan(zc_tensor *x)
{
    return zc_cumulative_sum(x, 0, false);
}
static zc_tensor *line_scan(zc_tensor *x)
{
    return zc_cumulative_prod(zc_reshape(x, ZC_SHAPE(-1)), 0, false);
}
/* With panels in data memory; of many runs, in blocks and in lanes; of many results. */
static zc_tensor *products(zc_tensor *x)
{
    zc_tensor *part = zc_slice(x, 0, 0, 300, 1), *lines = zc_reshape(x, ZC_SHAPE(4, -1));
    zc_tensor *panels = zc_matmul(zc_matrix_transpose(part), zc_slice(part, 1, 0, 8, 1));
    zc_tensor *runs = zc_add(zc_matmul(lines, zc_matrix_transpose(lines)), zc_vecdot(lines, lines, -1));
    zc_tensor *sums = zc_add(zc_sum(panels, ZC_ALL_AXES, false), zc_sum(runs, ZC_ALL_AXES, false));
    return zc_add(zc_matmul(x, zc_index(x, 0, 0)), sums);
}
/* A scatter: elements that meet are added in their order. */
static zc_tensor *scatter(zc_tensor *x)
{
    zc_tensor *row = zc_copy(zc_index(x, 0, 0));
    zc_tensor *positions = zc_remainder(zc_iota(zc_context_of(x), zc_size(x)), zc_weak_int(zc_context_of(x), 100));
    return zc_grad(zc_multiply(zc_take(row, positions, 0), zc_reshape(x, ZC_SHAPE(-1))), row);
}
static zc_tensor *empty_sum(zc_tensor *x)
{
    zc_tensor *none = zc_slice(x, 0, 0, 0, 1);
    return zc_sum(zc_broadcast_to(zc_expand_dims(none, 0), ZC_SHAPE(400, 0, 100)), ZC_AXES(1), false);
}
static zc_tensor *pieces(zc_tensor *x)
{
    return zc_concat(zc_context_of(x), 3, (const zc_tensor *const[]){x, zc_negative(x), zc_square(x)}, 1);
}
static zc_tensor *itself(zc_tensor *x)
{
    return zc_slice(x, 0, 0, ZC_NONE, 1);
}

static zc_status into_memory(const zc_tensor *t, zc_tensor **out)
{
    size_t bytes = (size_t)zc_size(t) * zc_dtype_bytes(zc_dtype_of(t));
    void *memory = malloc(bytes);
    zc_status status = zc_materialize_into(t, memory, bytes, NULL, 0);
    if (status == ZC_OK)
        *out = zc_from_data(zc_context_of(t), zc_dtype_of(t), zc_rank(t), zc_shape(t), memory, bytes);
    free(memory);
    return status;
}

static void path_of(char *path, size_t room, const char *name)
{
    (void)snprintf(path, room, "cancel-%ld-%s.npy", (long)getpid(), name);
}

/* Into a file that exists: a stopped call leaves its one byte. */
static zc_status into_file(const zc_tensor *t, zc_tensor **out)
{
    char path[64], byte = 0;
    path_of(path, sizeof path, "out");
    FILE *file = fopen(path, "wb");
    cr_assert(file != NULL && fputc('x', file) == 'x' && fclose(file) == 0);
    zc_status status = zc_save(t, path);
    if (status != ZC_OK) {
        file = fopen(path, "rb");
        cr_assert(file != NULL && fread(&byte, 1, 1, file) == 1 && byte == 'x' && fgetc(file) == EOF);
        (void)fclose(file);
    } else {
        zc_tensor *mapped = zc_open(zc_context_of(t), path);
        *out = zc_from_data(zc_context_of(t), zc_dtype_of(t), zc_rank(t), zc_shape(t), zc_data(mapped),
                            (size_t)zc_size(t) * zc_dtype_bytes(zc_dtype_of(t)));
        zc_release(mapped);
    }
    (void)unlink(path);
    return status;
}

static zc_status sort(const zc_tensor *t, zc_tensor **out)
{
    return zc_sort(t, 0, false, out);
}
static zc_status argsort_all(const zc_tensor *t, zc_tensor **out)
{
    zc_tensor *line = zc_reshape(t, ZC_SHAPE(-1));
    zc_status status = zc_argsort(line, 0, true, out);
    zc_release(line);
    return status;
}
static zc_status top_k(const zc_tensor *t, zc_tensor **out)
{
    zc_tensor *made[2];
    zc_status status = zc_top_k(t, 2, 1, true, &made[0], &made[1]);
    if (status == ZC_OK) {
        status = zc_materialize_all(2, (const zc_tensor *const[]){made[0], made[1]}, out);
        zc_release(made[0]);
        zc_release(made[1]);
    }
    return status;
}
static zc_status top_k_of_all(const zc_tensor *t, zc_tensor **out)
{
    zc_tensor *line = zc_reshape(t, ZC_SHAPE(-1));
    zc_status status = zc_top_k(line, 300, 0, false, &out[0], &out[1]);
    zc_release(line);
    return status;
}
static zc_status search(const zc_tensor *t, zc_tensor **out)
{
    zc_tensor *line = zc_index(t, 0, 0), *sorted = NULL;
    zc_status status = zc_sort(line, 0, false, &sorted);
    if (status == ZC_OK)
        status = zc_searchsorted(sorted, t, false, NULL, out);
    zc_release(line);
    zc_release(sorted);
    return status;
}
static zc_status unique(const zc_tensor *t, zc_tensor **out)
{
    return zc_unique_all(t, &out[0], &out[1], &out[2], &out[3]);
}

static const scenario scenarios[] = {
    {"materialize", chain, zc_materialize},
    {"materialize", total, zc_materialize},
    {"materialize", rows, zc_materialize},
    {"materialize", columns, zc_materialize},
    {"materialize", numbers, zc_materialize},
    {"materialize", windows, zc_materialize},
    {"materialize", members, zc_materialize},
    {"materialize", two_stages, zc_materialize},
    {"materialize", scan, zc_materialize},
    {"materialize", line_scan, zc_materialize},
    {"materialize", scatter, zc_materialize},
    {"materialize", products, zc_materialize},
    {"materialize", empty_sum, zc_materialize},
    {"materialize", pieces, zc_materialize},
    {"compact", chain, zc_compact},
    {"materialize_into", chain, into_memory},
    {"", chain, into_file},
    {"save", itself, into_file},
    {"sort", itself, sort},
    {"argsort", itself, argsort_all},
    {"materialize_all", itself, top_k},
    {"top_k", itself, top_k_of_all},
    {"", itself, search},
    {"unique_all", itself, unique},
    {"nonzero", itself, zc_nonzero},
};

enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };

/* ---- Stopping at the k-th report ---- */

typedef struct watcher {
    int64_t calls, stop_at; /* stop_at 0: never */
    int64_t done, total;
    int64_t faults; /* reports that cannot be */
    pthread_t thread;
} watcher;

static bool watch(void *user, int64_t done, int64_t of)
{
    watcher *w = user;
    w->faults += done < 0 || done > of || !pthread_equal(w->thread, pthread_self());
    w->faults += done < w->done && of == w->total && done != 0;
    w->done = done;
    w->total = of;
    return ++w->calls != w->stop_at;
}

static zc_tensor *input(zc_context *ctx, int64_t count)
{
    size_t bytes = (size_t)count * 100 * sizeof(float);
    float *values = malloc(bytes);
    for (int64_t i = 0; i < count * 100; i++)
        values[i] = (float)(i * 7919 % 10007) / 10007;
    zc_tensor *x = zc_from_data(ctx, ZC_FLOAT32, ZC_SHAPE(count, 100), values, bytes);
    free(values);
    return x;
}

static bool have_same_bits(zc_tensor *const *left, zc_tensor *const *right)
{
    bool same = true;
    for (int i = 0; i < MOST_RESULTS && same; i++) {
        same = (left[i] == NULL) == (right[i] == NULL);
        if (same && left[i] != NULL)
            same = zc_size(left[i]) == zc_size(right[i]) &&
                   memcmp(zc_data(left[i]), zc_data(right[i]),
                          (size_t)zc_size(left[i]) * zc_dtype_bytes(zc_dtype_of(left[i]))) == 0;
    }
    return same;
}

/* Records and computes anew, stopped at report k; true when it got through before. Wanted has the right bits. */
static bool stop_once(const scenario *s, zc_tensor *x, int64_t k, const zc_failing *state, zc_tensor *const *wanted)
{
    zc_context *ctx = zc_context_of(x);
    zc_tensor *out[MOST_RESULTS] = {NULL};
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *t = s->record(x);
    watcher w = {.stop_at = k, .thread = pthread_self()};
    int64_t blocks = state->blocks;
    zc_set_progress(ctx, watch, &w);
    zc_status status = s->compute(t, out);
    zc_set_progress(ctx, NULL, NULL);
    cr_assert_eq(w.faults, 0, "%s: %ld reports make no sense", s->function, (long)w.faults);
    if (status != ZC_OK) {
        cr_assert(status == ZC_CANCELLED && zc_error_status(ctx) == ZC_CANCELLED && w.calls == k,
                  "%s: status %d, %ld reports, stopped at %ld", s->function, (int)status, (long)w.calls, (long)k);
        cr_assert(strncmp(zc_error_text(ctx), s->function, strlen(s->function)) == 0 &&
                      strstr(zc_error_text(ctx), ": stopped on request") != NULL,
                  "%s: %s", s->function, zc_error_text(ctx));
        for (int i = 0; i < MOST_RESULTS; i++)
            cr_assert_null(out[i]);
        cr_assert(s->compute == into_file || state->blocks == blocks, "%s, report %ld: %ld blocks more", s->function,
                  (long)k, (long)(state->blocks - blocks));
        zc_error_clear(ctx);
        cr_assert_eq(s->compute(t, out), ZC_OK, "%s: %s", s->function, zc_error_text(ctx));
    }
    cr_assert(have_same_bits(out, wanted), "%s, report %ld", s->function, (long)k);
    zc_scope_end(scope);
    return status == ZC_OK;
}

/* Stops at each of the first reports, and at some, farther and farther apart, behind them. */
static void stop_all_over(zc_executor executor, int threads, int64_t count, int64_t least_stops)
{
    int64_t stops = 0;
    for (int i = 0; i < SCENARIOS; i++) {
        const scenario *s = &scenarios[i];
        zc_failing state = {0};
        zc_allocator allocator = zc_failing_allocator(&state);
        zc_context *ctx =
            zc_context_new(&(zc_options){.allocator = &allocator, .threads = threads, .executor = executor});
        (void)zc_set_cache_limit(ctx, 0); /* so that every block that is free is the allocator's */
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *x = input(ctx, count), *wanted[MOST_RESULTS] = {NULL};
        cr_assert_eq(s->compute(s->record(x), wanted), ZC_OK, "%s: %s", s->function, zc_error_text(ctx));
        int64_t k = 1;
        for (; !stop_once(s, x, k, &state, wanted); k += zc_test_long_stride() * (1 + k / 32))
            cr_assert_lt(k, MOST_CALLS, "%s never gets through", s->function);
        stops += k - 1;
        zc_scope_end(scope);
        zc_context_free(ctx);
        cr_assert(state.blocks == 0 && state.faults == 0, "%s: blocks are left or came back wrong", s->function);
    }
    cr_log_info("%ld stops", (long)stops);
    cr_assert_gt(stops, least_stops);
}

Test(cancel, from_reports_of_the_tile_executor)
{
    stop_all_over(ZC_EXECUTOR_TILE, 1, 1500, 200);
}

Test(cancel, from_reports_with_two_threads)
{
    stop_all_over(ZC_EXECUTOR_TILE, 2, 1500, 50);
}

Test(cancel, from_reports_of_the_reference)
{
    zc_skip_of_one_thread();
    stop_all_over(ZC_EXECUTOR_REFERENCE, 1, 600, 50);
}

static zc_tensor *layer(zc_tensor *x)
{
    zc_tensor *few = zc_slice(x, 1, 0, 2, 1), *t = zc_matmul(few, zc_matrix_transpose(zc_slice(few, 0, 0, 1000, 1)));
    return zc_tanh(zc_add(t, zc_slice(x, 1, 2, 3, 1)));
}

/* Stops at one report after the other, at larger steps towards the end, of which there are more than four. */
static void stop_here_and_there(zc_tensor *(*record)(zc_tensor *x))
{
    const scenario s = {"materialize", record, zc_materialize};
    zc_failing state = {0};
    zc_allocator allocator = zc_failing_allocator(&state);
    zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator, .threads = 1});
    (void)zc_set_cache_limit(ctx, 0);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *x = input(ctx, 1500), *wanted[MOST_RESULTS] = {NULL};
    cr_assert_eq(s.compute(s.record(x), wanted), ZC_OK, "%s", zc_error_text(ctx));
    int64_t k = 1;
    while (!stop_once(&s, x, k, &state, wanted))
        k += zc_test_step(2) * (1 + k / 8);
    cr_expect_gt(k, 4, "%ld reports", (long)k);
    zc_scope_end(scope);
    zc_context_free(ctx);
    cr_expect(state.blocks == 0 && state.faults == 0);
}

/* A product and what follows it, which take turns. */
Test(cancel, between_blocks_of_a_product)
{
    stop_here_and_there(layer);
}

/* Distances of all pairs, of which there is one block at a time, and the least of each row. */
static zc_tensor *nearest(zc_tensor *x)
{
    zc_tensor *points = zc_reshape(zc_slice(zc_reshape(x, ZC_SHAPE(-1)), 0, 0, 3600, 1), ZC_SHAPE(1200, 3));
    zc_tensor *apart = zc_subtract(zc_expand_dims(points, 1), zc_expand_dims(points, 0));
    return zc_argmin(zc_sum(zc_multiply(apart, apart), ZC_AXES(2), false), ZC_AXES(1), false);
}

Test(cancel, between_blocks)
{
    stop_here_and_there(nearest);
}

/* Reshapes as many of the first elements of x as the shape holds. */
static zc_tensor *first_as(zc_tensor *x, int rank, const int64_t *shape)
{
    int64_t size = 1;
    for (int a = 0; a < rank; a++)
        size *= shape[a];
    return zc_reshape(zc_slice(zc_reshape(x, ZC_SHAPE(-1)), 0, 0, size, 1), rank, shape);
}

static zc_tensor *squares_of_four(zc_tensor *x)
{
    zc_tensor *squares = first_as(x, ZC_SHAPE(9000, 4, 4));
    return zc_matmul(squares, squares);
}
static zc_tensor *narrow_matrices(zc_tensor *x)
{
    zc_tensor *matrices = first_as(x, ZC_SHAPE(4000, 6, 6));
    return zc_matmul(matrices, zc_slice(matrices, 2, 0, 3, 1));
}
static zc_tensor *small_matrices(zc_tensor *x)
{
    return zc_matmul(first_as(x, ZC_SHAPE(24000, 2, 3)), first_as(x, ZC_SHAPE(24000, 3, 2)));
}
static zc_tensor *inner_product(zc_tensor *x)
{
    zc_tensor *line = zc_reshape(x, ZC_SHAPE(-1));
    return zc_vecdot(line, line, -1);
}
static zc_tensor *row_by_columns(zc_tensor *x)
{
    return zc_matmul(first_as(x, ZC_SHAPE(4500)), first_as(x, ZC_SHAPE(4500, 33)));
}
static zc_tensor *many_panels(zc_tensor *x)
{
    return zc_matmul(first_as(x, ZC_SHAPE(50, 100)), zc_matrix_transpose(x));
}
static zc_tensor *many_products(zc_tensor *x)
{
    return zc_matmul(first_as(x, ZC_SHAPE(10, 15000)), first_as(x, ZC_SHAPE(15000, 10)));
}
static zc_tensor *bytes_by_bytes(zc_tensor *x)
{
    zc_tensor *bytes = NULL;
    zc_tensor *numbers = zc_multiply(x, zc_weak_int(zc_context_of(x), 100));
    cr_assert_eq(zc_materialize(zc_astype(numbers, ZC_INT8), &bytes), ZC_OK);
    zc_tensor *integers = zc_astype(bytes, ZC_INT32);
    return zc_matmul(integers, zc_matrix_transpose(integers));
}

/* In the middle of products of every shape that has loops of its own. */
Test(cancel, between_products)
{
    zc_tensor *(*const records[])(zc_tensor * x) = {squares_of_four, narrow_matrices, small_matrices, inner_product,
                                                    row_by_columns,  many_panels,     many_products,  bytes_by_bytes};
    for (size_t i = 0; i < sizeof records / sizeof *records; i++)
        stop_here_and_there(records[i]);
}

/* ---- Stopping from elsewhere ---- */

static zc_context *context_with(int threads)
{
    return zc_context_new(&(zc_options){.threads = threads});
}

Test(cancel, a_request_waits_for_the_next_call_and_stops_one)
{
    zc_context *ctx = context_with(1);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *x = input(ctx, 10), *out = NULL;
    zc_cost cost;
    char *text = NULL;
    zc_cancel(ctx);
    zc_tensor *t = chain(x);
    cr_assert(t != NULL && zc_error_status(ctx) == ZC_OK, "recording is not stopped");
    cr_expect_eq(zc_materialize(t, &out), ZC_CANCELLED);
    cr_expect_str_eq(zc_error_text(ctx), "materialize: stopped on request");
    cr_expect_null(out);
    zc_cancel(ctx);
    cr_expect_eq(zc_cost_of(t, &cost), ZC_CANCELLED);
    zc_cancel(ctx);
    zc_cancel(ctx);
    cr_expect_eq(zc_explain(t, ZC_JSON, &text), ZC_CANCELLED, "two requests for one call are one");
    cr_expect_null(text);
    cr_expect_eq(zc_explain(t, ZC_JSON, &text), ZC_OK);
    zc_text_free(ctx, text);
    zc_error_clear(ctx);
    cr_expect_eq(zc_materialize(t, &out), ZC_OK);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* Another byte order is converted when the file is opened. */
Test(cancel, stops_a_conversion)
{
    char path[64];
    path_of(path, sizeof path, "foreign");
    static const char header[] = "\x93NUMPY\x01\x00\x46\x00{'descr': '>i2', 'fortran_order': False, 'shape': (2,), }"
                                 "            \n";
    FILE *file = fopen(path, "wb");
    cr_assert(file != NULL && fwrite(header, 1, 80, file) == 80 && fwrite("abcd", 1, 4, file) == 4);
    cr_assert_eq(fclose(file), 0);
    zc_context *ctx = context_with(1);
    int64_t headers = zc_memory_usage(ctx).header_bytes;
    zc_cancel(ctx);
    cr_expect_null(zc_npy_open(ctx, path));
    cr_expect_eq(zc_error_status(ctx), ZC_CANCELLED);
    cr_expect_str_eq(zc_error_text(ctx), "npy_open: stopped on request");
    cr_expect_eq(zc_memory_usage(ctx).held_bytes, 0);
    cr_expect_eq(zc_memory_usage(ctx).header_bytes, headers);
    zc_tensor *t = zc_npy_open(ctx, path);
    cr_expect_not_null(t);
    zc_release(t);
    zc_context_free(ctx);
    (void)unlink(path);
}

typedef struct canceller {
    zc_context *ctx;
    _Atomic bool ends;
    int64_t nanoseconds; /* between two requests */
} canceller;

static void *cancel_again_and_again(void *user)
{
    canceller *c = user;
    while (!c->ends) {
        (void)nanosleep(&(struct timespec){.tv_nsec = c->nanoseconds}, NULL);
        zc_cancel(c->ctx);
    }
    return NULL;
}

/* Every call is either stopped, or has the right bits. */
static void race(zc_executor executor, int threads, int64_t count)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = threads, .executor = executor});
    zc_scope *outer = zc_scope_begin(ctx);
    zc_tensor *x = input(ctx, count), *wanted[SCENARIOS][MOST_RESULTS] = {{NULL}};
    for (int i = 0; i < SCENARIOS; i++)
        cr_assert_eq(scenarios[i].compute(scenarios[i].record(x), wanted[i]), ZC_OK);
    canceller c = {.ctx = ctx, .nanoseconds = zc_random_range(100000, 3000000)};
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, cancel_again_and_again, &c), 0);
    int stopped = 0;
    for (int i = 0; i < zc_test_count(4 * SCENARIOS); i++) {
        const scenario *s = &scenarios[i % SCENARIOS];
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *out[MOST_RESULTS] = {NULL}, *t = s->record(x);
        zc_status status = s->compute(t, out);
        if (status != ZC_OK)
            cr_assert_eq(status, ZC_CANCELLED, "%s: %s", s->function, zc_error_text(ctx));
        else
            cr_assert(have_same_bits(out, wanted[i % SCENARIOS]), "%s", s->function);
        stopped += status != ZC_OK;
        zc_error_clear(ctx);
        zc_scope_end(scope);
    }
    c.ends = true;
    cr_assert_eq(pthread_join(thread, NULL), 0);
    cr_log_info("%d calls stopped", stopped);
    cr_expect_gt(stopped, 0);
    zc_scope_end(outer);
    zc_context_free(ctx);
}

Test(cancel, from_another_thread)
{
    zc_random_begin("cancel, from_another_thread");
    race(ZC_EXECUTOR_TILE, 1, 3000);
    race(ZC_EXECUTOR_TILE, 2, 3000);
    race(ZC_EXECUTOR_REFERENCE, 1, 60);
}

/* ---- Sorting, of every dtype ---- */

/* Stops at its n-th call. */
static bool stop_at(void *user, int64_t done, int64_t total)
{
    (void)done, (void)total;
    int *left = user;
    return --*left != 0;
}

Test(cancel, sorting_of_every_dtype)
{
    enum { COUNT = 140000, CALLS = 12 };
    for (int d = 0; d < ZC_DTYPE_COUNT; d++) {
        if (d == ZC_COMPLEX64 || d == ZC_COMPLEX128)
            continue;
        bench b = begin_with((zc_options){.threads = 1});
        zc_tensor *mixed = zc_remainder(zc_multiply(zc_iota(b.ctx, COUNT), zc_weak_int(b.ctx, 40503)),
                                        zc_weak_int(b.ctx, d == ZC_BOOL ? 2 : 60000));
        zc_tensor *x = NULL, *sorted = NULL, *fresh = NULL;
        cr_assert_eq(zc_materialize(zc_astype(mixed, (zc_dtype)d), &x), ZC_OK, "%s", zc_error_text(b.ctx));
        int stopped = 0;
        for (int i = 0; i < 2 * CALLS; i++) { /* numbers are sorted by digits, elements by dividing */
            int call = i / 2 + 1, left = call;
            zc_set_progress(b.ctx, stop_at, &left);
            zc_status status = (i % 2 == 0 ? zc_sort : zc_argsort)(x, 0, true, &sorted);
            zc_set_progress(b.ctx, NULL, NULL);
            cr_expect_eq(status, left <= 0 ? ZC_CANCELLED : ZC_OK, "%s, call %d", zc_dtype_name((zc_dtype)d), call);
            cr_expect_eq(sorted == NULL, status != ZC_OK);
            stopped += status == ZC_CANCELLED;
            zc_error_clear(b.ctx);
            zc_release(sorted);
        }
        cr_expect_geq(stopped, 6, "%s", zc_dtype_name((zc_dtype)d));
        cr_assert_eq(zc_sort(x, 0, true, &fresh), ZC_OK);
        zc_tensor *falls = zc_greater_equal(zc_slice(fresh, 0, 0, -1, 1), zc_slice(fresh, 0, 1, ZC_NONE, 1));
        EXPECT(zc_all(d == ZC_BOOL ? zc_slice(fresh, 0, 0, 9, 1) : falls, ZC_ALL_AXES, false), 1);
        zc_release(fresh);
        zc_release(x);
        finish(b);
    }
}

static zc_status nonzero_in_lines(const zc_tensor *t, zc_tensor **out)
{
    zc_tensor *lines = zc_reshape(t, ZC_SHAPE(-1, 512));
    const zc_status status = zc_nonzero(lines, out);
    zc_release(lines);
    return status;
}

/* Runs that threads share, long enough to be stopped anywhere: whichever call of progress does it, the next run has
 * the elements that the first one had. */
Test(cancel, what_threads_share)
{
    static const struct {
        const char *function;
        zc_dtype dtype;
        zc_status (*run)(const zc_tensor *t, zc_tensor **out);
    } cases[] = {{"sort", ZC_FLOAT32, sort}, {"sort", ZC_INT64, sort}, {"nonzero", ZC_INT16, nonzero_in_lines}};
    enum { COUNT = 5 << 16, CASES = sizeof cases / sizeof *cases };
    for (int i = 0; i < CASES; i++) {
        bench b = begin_with((zc_options){.threads = 2});
        zc_tensor *mixed =
            zc_remainder(zc_multiply(zc_iota(b.ctx, COUNT), zc_weak_int(b.ctx, 40503)), zc_weak_int(b.ctx, 32749));
        zc_tensor *x = NULL, *wanted[MOST_RESULTS] = {NULL};
        int stopped = 0;
        cr_assert_eq(zc_materialize(zc_astype(mixed, cases[i].dtype), &x), ZC_OK, "%s", zc_error_text(b.ctx));
        cr_assert_eq(cases[i].run(x, wanted), ZC_OK, "%s", zc_error_text(b.ctx));
        for (int call = 1, left = 0; left <= 0; call++) {
            zc_tensor *out[MOST_RESULTS] = {NULL};
            left = call;
            zc_set_progress(b.ctx, stop_at, &left);
            const zc_status status = cases[i].run(x, out);
            zc_set_progress(b.ctx, NULL, NULL);
            cr_expect(status == ZC_OK || (left <= 0 && status == ZC_CANCELLED), "%s, call %d: %s", cases[i].function,
                      call, zc_error_text(b.ctx));
            stopped += status == ZC_CANCELLED;
            zc_error_clear(b.ctx);
            cr_expect(status != ZC_OK || have_same_bits(out, wanted), "%s, call %d", cases[i].function, call);
            for (int r = 0; r < MOST_RESULTS; r++)
                zc_release(out[r]);
        }
        cr_expect_geq(stopped, 3, "%s", cases[i].function);
        for (int r = 0; r < MOST_RESULTS; r++)
            zc_release(wanted[r]);
        zc_release(x);
        finish(b);
    }
}
