/* Several results in one run: what they share, where they go, and that it is all of them or nothing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/api/values.h"
#include "tests/support/failing.h"

enum { MOST = 12 };

/* 0, 1, 2 ... in memory. */
static zc_tensor *numbers(bench b, int rank, const int64_t *shape)
{
    zc_tensor *made = NULL;
    cr_assert_eq(zc_materialize(zc_astype(count_to(b, rank, shape), ZC_FLOAT64), &made), ZC_OK);
    return made;
}

/* The call is refused with that sentence, or with none. */
static void expect_failure(bench b, zc_status status, zc_status wanted, const char *sentence)
{
    cr_expect_eq(status, wanted);
    cr_expect_str_eq(zc_error_text(b.ctx), sentence);
    zc_error_clear(b.ctx);
}

static void make_all(bench b, int count, const zc_tensor *const *tensors, zc_tensor **made)
{
    cr_assert_eq(zc_materialize_all(count, tensors, made), ZC_OK, "%s", zc_error_text(b.ctx));
    for (int i = 0; i < count; i++)
        cr_assert(zc_is_view(made[i]) && zc_size(made[i]) == zc_size(tensors[i]), "%d", i);
}

static zc_cost cost_of_all(int count, const zc_tensor *const *tensors)
{
    zc_cost cost;
    cr_assert_eq(zc_cost_of_all(count, tensors, &cost), ZC_OK);
    return cost;
}

/* Expects one plan to take exactly the memory that its cost says. */
static void expect_exact_peak(bench b, int count, const zc_tensor *const *tensors)
{
    zc_tensor *made[MOST];
    zc_cost cost = cost_of_all(count, tensors);
    int64_t before = zc_memory_usage(b.ctx).held_bytes;
    zc_memory_reset_peak(b.ctx);
    make_all(b, count, tensors, made);
    cr_expect_eq(zc_memory_usage(b.ctx).peak_bytes - before, cost.peak_bytes);
}

Test(several, results_share_what_they_are_made_of)
{
    bench b = begin();
    zc_tensor *x = numbers(b, ZC_SHAPE(300, 40));
    zc_tensor *mean = zc_mean(x, ZC_AXES(0), true), *centered = zc_subtract(x, mean);
    zc_tensor *scale = zc_sqrt(zc_mean(zc_square(centered), ZC_AXES(0), true)), *made[3];
    zc_cost all = cost_of_all(TENSORS(mean, scale, centered));
    int64_t sum = cost_of(mean).work + cost_of(scale).work + cost_of(centered).work;
    cr_expect_lt(all.work, sum);
    cr_expect_eq(all.logical_bytes, (40 + 40 + 300 * 40) * 8);
    make_all(b, TENSORS(mean, scale, centered), made);
    EXPECT(zc_index(zc_slice(made[0], 1, 0, 2, 1), 0, 0), 5980, 5981);
    EXPECT(zc_index(zc_slice(made[2], 1, 3, 4, 1), 0, 299), 5980);
    cr_expect_float_eq(value_at(made[1], 0), 40 * sqrt((300.0 * 300 - 1) / 12), 1e-8);
    finish(b);
}

Test(several, a_loss_and_its_gradients_share_the_forward_pass)
{
    bench b = begin();
    zc_tensor *x = zc_sin(numbers(b, ZC_SHAPE(100, 20))), *wanted[3], *made[3], *alone[3];
    zc_tensor *w = zc_cos(numbers(b, ZC_SHAPE(20, 7))), *v = zc_sin(numbers(b, ZC_SHAPE(7)));
    cr_assert(zc_materialize(x, &x) == ZC_OK && zc_materialize(w, &w) == ZC_OK && zc_materialize(v, &v) == ZC_OK);
    zc_tensor *hidden = zc_tanh(zc_matmul(x, w));
    zc_tensor *loss = zc_mean(zc_square(zc_sum(zc_multiply(hidden, v), ZC_AXES(1), false)), ZC_ALL_AXES, false);
    wanted[0] = loss;
    cr_assert_eq(zc_vjp(loss, NULL, TENSORS(w, v), wanted + 1), ZC_OK, "%s", zc_error_text(b.ctx));
    const zc_tensor *const *tensors = (const zc_tensor *const *)wanted;
    int64_t sum = 0;
    for (int i = 0; i < 3; i++) {
        sum += cost_of(wanted[i]).work;
    }
    int64_t together = cost_of_all(3, tensors).work;
    cr_expect(together < sum, "%lld of %lld", (long long)together, (long long)sum);
    cr_expect_lt((double)together, 0.6 * (double)sum, "the forward pass takes most of each");
    make_all(b, 3, tensors, made);
    for (int i = 0; i < 3; i++) {
        zc_tensor *copy = zc_add(wanted[i], zc_weak_float(b.ctx, 0));
        cr_assert_eq(zc_materialize(copy, &alone[i]), ZC_OK);
        cr_expect_eq(memcmp(zc_data(made[i]), zc_data(alone[i]), (size_t)zc_size(made[i]) * 8), 0, "%d", i);
    }
    finish(b);
}

/* Views of each other, consumers of each other, constants, the empty, the same and the equal, what exists. */
Test(several, any_tensors_may_be_asked_for_together)
{
    bench b = begin();
    zc_tensor *x = numbers(b, ZC_SHAPE(3, 4)), *y = zc_add(x, zc_weak_int(b.ctx, 1)), *made[MOST];
    zc_tensor *z = zc_multiply(y, y), *equal = zc_add(x, zc_weak_int(b.ctx, 1));
    zc_tensor *wanted[MOST] = {z,
                               y,
                               zc_flip(y, ZC_AXES(1)),
                               zc_permute_dims(y, ZC_AXES(1, 0)),
                               zc_reshape(y, ZC_SHAPE(12)),
                               equal,
                               y,
                               x,
                               zc_slice(x, 1, 1, 3, 1),
                               zc_slice(y, 0, 0, 0, 1),
                               zc_broadcast_to(zc_weak_float(b.ctx, 7), ZC_SHAPE(2)),
                               zc_sum(y, ZC_AXES(0), false)};
    const zc_tensor *const *tensors = (const zc_tensor *const *)wanted;
    make_all(b, MOST, tensors, made);
    EXPECT(made[0], 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144);
    EXPECT(made[1], 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
    EXPECT(made[2], 4, 3, 2, 1, 8, 7, 6, 5, 12, 11, 10, 9);
    EXPECT(made[3], 1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12);
    EXPECT(made[7], 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
    EXPECT(made[8], 1, 2, 5, 6, 9, 10);
    cr_expect_eq(zc_size(made[9]), 0);
    EXPECT(made[10], 7, 7);
    EXPECT(made[11], 15, 18, 21, 24);
    for (int i = 4; i < 7; i++)
        cr_expect_eq(zc_data(made[i]), zc_data(made[1]), "one memory: %d", i);
    cr_expect_eq(zc_data(made[7]), zc_data(x), "what exists is not copied");
    cr_expect(zc_is_view(y) && zc_is_view(z) && zc_is_view(equal), "nodes keep their data");
    for (int i = 0; i < MOST; i++)
        zc_release(made[i]);
    finish(b);
}

Test(several, what_consumers_of_a_result_read_is_the_result)
{
    bench b = begin();
    zc_tensor *x = numbers(b, ZC_SHAPE(100000)), *y = zc_exp(zc_negative(x)), *z = zc_add(y, zc_flip(y, ZC_AXES(0)));
    zc_cost cost = cost_of_all(TENSORS(z, y));
    cr_expect_eq(cost.written_bytes, 2 * 800000);
    cr_expect_eq(cost.peak_bytes, 2 * 800000);
    expect_exact_peak(b, TENSORS(z, y));
    finish(b);
}

/* Exponential whose rows are equal: no strides express what is seen of it, so all of it is made: the result itself. */
Test(several, a_result_that_repeats_is_made_once)
{
    bench b = begin();
    zc_tensor *row = numbers(b, ZC_SHAPE(30)), *y = zc_exp(zc_broadcast_to(zc_negative(row), ZC_SHAPE(9, 30)));
    zc_tensor *z = zc_negative(zc_permute_dims(zc_reshape(y, ZC_SHAPE(30, 9)), ZC_AXES(1, 0))), *made[2];
    cr_expect_leq(cost_of_all(TENSORS(z, y)).peak_bytes, 2 * 2160 + 240);
    make_all(b, TENSORS(z, y), made);
    cr_expect_float_eq(value_at(made[0], 30), -exp(-1), 1e-14);
    cr_expect_float_eq(value_at(made[1], 31), exp(-1), 1e-14);
    finish(b);
}

/* A sum of a chain of scans of x, of which two are in memory at once. */
static zc_tensor *scanned(zc_tensor *x)
{
    for (int i = 0; i < 4; i++)
        x = zc_cumulative_sum(zc_flip(x, ZC_AXES(0)), 0, false);
    return zc_sum(x, ZC_ALL_AXES, false);
}

Test(several, a_result_that_repeats_what_is_small_is_written_when_memory_is_free)
{
    enum { BYTES = 40 * 50 * 50 * 8 };
    bench b = begin();
    zc_tensor *x = numbers(b, ZC_SHAPE(40, 50, 50)), *row = zc_index(zc_index(x, 0, 0), 0, 0);
    zc_tensor *both = zc_concat(b.ctx, TENSORS(zc_sin(row), row), 0),
              *wide = zc_broadcast_to(both, ZC_SHAPE(2000, 100));
    zc_tensor *scan = scanned(x);
    cr_expect_leq(cost_of_all(TENSORS(wide, scan)).peak_bytes, 2 * BYTES + BYTES / 10);
    expect_exact_peak(b, TENSORS(wide, scan));
    finish(b);
}

Test(several, the_peak_is_exact_and_the_limit_holds)
{
    bench b = begin();
    zc_tensor *x = numbers(b, ZC_SHAPE(200, 300)), *y = zc_sin(x);
    zc_tensor *z = zc_cumulative_sum(y, 0, false), *s = zc_sum(zc_multiply(z, y), ZC_AXES(1), false);
    expect_exact_peak(b, TENSORS(s, zc_permute_dims(z, ZC_AXES(1, 0)), zc_flip(z, ZC_AXES(0))));
    finish(b);
    b = begin_with((zc_options){.memory_limit = 3 * 480000 + 480000 / 2});
    x = numbers(b, ZC_SHAPE(200, 300));
    y = zc_sin(x);
    z = zc_exp(x);
    zc_tensor *made[3] = {x, x, x};
    int64_t before = zc_memory_usage(b.ctx).held_bytes;
    zc_memory_reset_peak(b.ctx);
    expect_failure(b, zc_materialize_all(TENSORS(y, z, zc_add(y, z)), made), ZC_ERROR_BUDGET,
                   "materialize_all: 3 results need 1440000 bytes of memory with 480000 held "
                   "already, over the limit of 1680000");
    cr_expect(made[0] == NULL && made[1] == NULL && made[2] == NULL);
    cr_expect_eq(zc_memory_usage(b.ctx).peak_bytes, before, "refused before anything is taken");
    cr_expect_not(zc_is_view(y));
    make_all(b, TENSORS(y, z), made);
    finish(b);
}

Test(several, a_failure_of_one_is_the_failure_of_all)
{
    bench b = begin(), other = begin();
    zc_tensor *x = numbers(b, ZC_SHAPE(6)), *far = OF(b.ctx, ZC_INT64, 9), *made[2] = {x, x};
    zc_tensor *y = zc_add(x, x), *bad = zc_take(x, far, 0);
    expect_failure(b, zc_materialize_all(TENSORS(y, bad), made), ZC_ERROR_INDEX,
                   "take: position 9 is out of bounds for an axis of size 6");
    cr_expect(made[0] == NULL && made[1] == NULL);
    cr_expect_not(zc_is_view(y));
    expect_failure(b, zc_materialize_all(TENSORS(y, NULL), made), ZC_ERROR_ARGUMENT,
                   "materialize_all: tensors[1] is NULL");
    expect_failure(b, zc_materialize_all(1, NULL, made), ZC_ERROR_ARGUMENT, "");
    expect_failure(b, zc_materialize_all(-1, NULL, made), ZC_ERROR_ARGUMENT, "");
    expect_failure(b, zc_materialize_all(0, NULL, NULL), ZC_OK, "");
    expect_failure(b, zc_materialize_all(TENSORS(y), NULL), ZC_ERROR_ARGUMENT,
                   "materialize_all: there is nowhere to put the result");
    expect_failure(b, zc_materialize_all(TENSORS(y, numbers(other, ZC_SHAPE(2))), made), ZC_ERROR_ARGUMENT,
                   "materialize_all: results belong to different contexts; zc_adopt brings them together");
    char *text = NULL;
    zc_cost cost;
    cr_expect_eq(zc_cost_of_all(0, NULL, &cost), ZC_OK);
    cr_expect_eq(cost.work, 0);
    expect_failure(b, zc_cost_of_all(TENSORS(y), NULL), ZC_ERROR_ARGUMENT,
                   "cost_of_all: there is nowhere to put the result");
    expect_failure(b, zc_explain_all(0, NULL, ZC_TEXT, &text), ZC_ERROR_ARGUMENT, "");
    zc_cancel(b.ctx);
    expect_failure(b, zc_materialize_all(TENSORS(y, zc_sin(x)), made), ZC_CANCELLED,
                   "materialize_all: stopped on request");
    cr_expect(made[0] == NULL && made[1] == NULL);
    make_all(b, TENSORS(y, x), made);
    finish(other);
    finish(b);
}

Test(several, plans_of_equal_requests_are_kept_and_found)
{
    bench b = begin();
    zc_tensor *made[2];
    for (int i = 0; i < 3; i++) {
        zc_tensor *x = values_of(b.ctx, ZC_FLOAT64, 3, (const double[]){i, 1, 2}), *y = zc_exp(x);
        zc_tensor *s = zc_sum(y, ZC_ALL_AXES, false);
        make_all(b, TENSORS(y, s), made);
        cr_expect_float_eq(value_at(made[0], 0), exp(i), 1e-12);
        make_all(b, TENSORS(zc_sum(zc_sin(x), ZC_ALL_AXES, false), zc_sin(x)), made);
        cr_expect_float_eq(value_at(made[1], 0), sin(i), 1e-12);
        make_all(b, TENSORS(zc_add(x, x), x), made);
        cr_expect_float_eq(value_at(made[1], 0), i, 0);
    }
    finish(b);
}

/* ---- Explained ---- */

static void expect_explained(zc_format format, int count, const zc_tensor *const *tensors, const char *const *parts)
{
    char *text = NULL;
    zc_context *ctx = zc_context_of(tensors[0]);
    cr_assert_eq(zc_explain_all(count, tensors, format, &text), ZC_OK, "%s", zc_error_text(ctx));
    for (int i = 0; parts[i] != NULL; i++)
        cr_expect_not_null(strstr(text, parts[i]), "%s\nis not in\n%s", parts[i], text);
    zc_text_free(ctx, text);
}

Test(several, plans_name_every_result_and_its_buffer)
{
    bench b = begin();
    zc_tensor *x = numbers(b, ZC_SHAPE(4)), *y = zc_exp(x), *s = zc_sum(y, ZC_ALL_AXES, false);
    expect_explained(ZC_TEXT, TENSORS(s, y, x),
                     (const char *const[]){"result 1: float64 () strides (), output 0\n",
                                           "result 2: float64 (4,) strides (1,), output 1\n",
                                           "result 3: float64 (4,) strides (1,), input 2\n",
                                           "bytes: 72 logical, 32 held, 40 to write, 40 at the peak\n",
                                           "output 1  float64         4     32  stages 1 to 2\n",
                                           "stage 1, result: makes what was asked for\n", "-> output 1: float64",
                                           "stage 2, reduction: ", "load output 1", NULL});
    expect_explained(
        ZC_JSON, TENSORS(s, y, x),
        (const char *const[]){
            "{\"results\": [{\"dtype\": \"float64\", \"shape\": [], \"strides\": [], \"broadcast_axes\": [], "
            "\"exists\": false, \"slot\": 0}, {\"dtype\": \"float64\", \"shape\": [4]",
            "\"exists\": true, \"slot\": 2}], \"logical_bytes\": 72, ", NULL});
    expect_explained(
        ZC_DOT, TENSORS(s, y),
        (const char *const[]){"label=\"float64 () strides (), output 0\\nfloat64 (4,) strides (1,), output 1\\n"
                              "40 bytes logical",
                              NULL});
    expect_explained(ZC_TEXT, TENSORS(x, x), (const char *const[]){"nothing to run: the results exist\n", NULL});
    finish(b);
}

/* ---- Saved ---- */

static bool holds(const char *path, const char *what)
{
    char text[8] = "";
    FILE *file = fopen(path, "r");
    bool is_read = file != NULL && fread(text, 1, sizeof text - 1, file) > 0;
    return (file == NULL || fclose(file) == 0) && is_read && strncmp(text, what, strlen(what)) == 0;
}

static void write_old(const char *path)
{
    FILE *file = fopen(path, "w");
    cr_assert(file != NULL && fputs("old", file) > 0 && fclose(file) == 0);
}

static int count_files(const char *folder)
{
    char command[128], text[16] = "";
    (void)snprintf(command, sizeof command, "ls -A %s | wc -l", folder);
    FILE *listed = popen(command, "r");
    cr_assert(listed != NULL && fgets(text, sizeof text, listed) != NULL);
    pclose(listed);
    return atoi(text);
}

Test(several, files_are_replaced_when_all_are_written)
{
    bench b = begin();
    char folder[] = "several_XXXXXX", one[64], two[64], gone[64];
    cr_assert_not_null(mkdtemp(folder));
    (void)snprintf(one, sizeof one, "%s/one.npy", folder);
    (void)snprintf(two, sizeof two, "%s/two.npy", folder);
    (void)snprintf(gone, sizeof gone, "%s/none/three.npy", folder);
    zc_tensor *x = numbers(b, ZC_SHAPE(6)), *y = zc_exp(x), *s = zc_sum(y, ZC_ALL_AXES, false);
    const char *paths[] = {one, two}, *same[] = {one, one}, *missing[] = {one, gone}, *none[] = {one, NULL};
    write_old(one);
    cr_expect_eq(zc_save_all(TENSORS(y, s), missing), ZC_ERROR_FILE);
    cr_expect_eq(zc_save_all(TENSORS(y, s), none), ZC_ERROR_ARGUMENT);
    zc_error_clear(b.ctx);
    cr_expect_eq(zc_save_all(TENSORS(y, s), same), ZC_ERROR_ARGUMENT);
    cr_expect_not_null(strstr(zc_error_text(b.ctx), "one.npy: the file of two tensors"));
    cr_expect_eq(zc_save_all(TENSORS(y, s), NULL), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_save_all(TENSORS(zc_astype(y, ZC_BFLOAT16), s), paths), ZC_ERROR_DTYPE, "the first one is refused");
    cr_expect_eq(zc_save_all(TENSORS(y, zc_take(x, OF(b.ctx, ZC_INT64, 9), 0)), paths), ZC_ERROR_INDEX);
    cr_expect(holds(one, "old") && count_files(folder) == 1);
    cr_expect_eq(zc_save_all(0, NULL, NULL), ZC_OK);
    cr_assert_eq(zc_save_all(TENSORS(y, s), paths), ZC_OK, "%s", zc_error_text(b.ctx));
    cr_expect_float_eq(value_at(zc_open(b.ctx, one), 1), exp(1), 1e-12);
    cr_expect_float_eq(value_at(zc_open(b.ctx, two), 0), value_at(s, 0), 0);
    cr_expect_eq(count_files(folder), 2);
    cr_assert(unlink(one) == 0 && unlink(two) == 0 && rmdir(folder) == 0);
    finish(b);
}

/* ---- Without memory ---- */

Test(several, every_allocation_fails_in_turn)
{
    for (int64_t fail_at = 1, done = 0; done == 0; fail_at++) {
        cr_assert_lt(fail_at, 2000);
        zc_failing state = {.fail_at = 0};
        zc_allocator allocator = zc_failing_allocator(&state);
        zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator, .threads = 1});
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *x = values_of(ctx, ZC_FLOAT64, 3, (const double[]){0, 1, 2}), *wanted[MOST], *made[MOST];
        zc_tensor *y = zc_exp(x), *s = zc_sum(y, ZC_ALL_AXES, false);
        for (int i = 0; i < MOST; i++)
            wanted[i] = i % 3 == 0 ? s : i % 3 == 1 ? zc_add(y, s) : zc_flip(zc_sin(x), ZC_AXES(0));
        state.fail_at = state.calls + fail_at;
        zc_status status = zc_materialize_all(MOST, (const zc_tensor *const *)wanted, made);
        done = state.calls < state.fail_at;
        state.fail_at = 0;
        cr_assert_eq(status, done ? ZC_OK : ZC_ERROR_MEMORY);
        for (int i = 0; i < MOST; i++)
            cr_assert_eq(made[i] != NULL, done);
        cr_assert_eq(zc_materialize_all(MOST, (const zc_tensor *const *)wanted, made), ZC_OK, "usable afterwards");
        cr_assert_float_eq(value_at(made[1], 0), 2 + exp(1) + exp(2), 1e-12);
        zc_failing_count();
        zc_scope_end(scope);
        zc_context_free(ctx);
        cr_assert(state.blocks == 0 && state.faults == 0);
    }
}
