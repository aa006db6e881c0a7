/*
 * Graphs written as bytes and read again: they have the bits they had, in another context, with other executors, whole
 * and as windows; bytes that were changed, cut or made up are refused, or tell another graph, which is computed.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/serialize/serialize.h"
#include "tests/diff/expression.h"
#include "tests/diff/same.h"
#include "tests/support/failing.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { EXPRESSIONS = 300, DAMAGED = 1500, MOST_RESULTS = 3, MOST_CALLS = 100000 };

static pool new_pool(zc_executor executor, int threads)
{
    pool p = {.ctx = zc_context_new(&(zc_options){.executor = executor, .threads = threads}), .count = 0};
    p.scope = zc_scope_begin(p.ctx);
    return p;
}

static void free_pool(pool *p)
{
    zc_scope_end(p->scope);
    zc_context_free(p->ctx);
}

/* A random expression with some of it computed, and some of its tensors, gradients among them. */
static int draw(pool *p, zc_tensor **wanted)
{
    expression e = expression_draw(zc_random_bool());
    expression_add_leaves(&e, p, 1);
    for (int i = 0; i < e.step_count; i++) {
        expression_step(p, &e.steps[i]);
        if (zc_random_range(0, 9) == 0)
            (void)materialized(p, p->items[zc_random_range(0, p->count - 1)]);
    }
    int count = (int)zc_random_range(1, MOST_RESULTS);
    for (int i = 0; i < count; i++) {
        wanted[i] = p->items[zc_random_range(0, p->count - 1)];
        zc_tensor *total = e.is_smooth && zc_rank(wanted[i]) > 0 ? zc_sum(wanted[i], ZC_ALL_AXES, false) : NULL;
        zc_tensor *slope = total == NULL ? NULL : zc_grad(total, p->items[0]);
        wanted[i] = slope == NULL ? wanted[i] : slope;
        zc_error_clear(p->ctx);
        if (zc_rank(wanted[i]) > 0 && zc_shape(wanted[i])[0] > 1 && zc_random_bool())
            wanted[i] = zc_slice(wanted[i], 0, 1, ZC_NONE, 1);
    }
    expression_free(&e);
    return count;
}

/* Reads in `ctx` what was written elsewhere; the inputs are copied, as they are between processes. */
static zc_status read_again(zc_context *ctx, const zc_serialized *s, const void *bytes, size_t size, int count,
                            zc_tensor **out)
{
    const zc_tensor *const *inputs, *own[64];
    int input_count = zc_serialized_inputs(s, &inputs);
    cr_assert_leq(input_count, 64);
    for (int i = 0; i < input_count; i++) {
        size_t data_bytes = (size_t)zc_size(inputs[i]) * zc_dtype_bytes(zc_dtype_of(inputs[i]));
        own[i] = zc_from_data(ctx, zc_dtype_of(inputs[i]), 1, zc_shape(inputs[i]), zc_data(inputs[i]), data_bytes);
        cr_assert_not_null(own[i], "%s", zc_error_text(ctx));
    }
    return zc_deserialize(ctx, bytes, size, input_count, own, count, out);
}

static void check_round_trip(zc_executor executor, int threads)
{
    zc_tensor *wanted[MOST_RESULTS], *got[MOST_RESULTS];
    zc_serialized *s = NULL;
    size_t size;
    pool p = new_pool(ZC_EXECUTOR_TILE, 1), other = new_pool(executor, threads);
    int count = draw(&p, wanted);
    cr_assert_eq(zc_serialize(count, (const zc_tensor *const *)wanted, &s), ZC_OK, "%s", zc_error_text(p.ctx));
    const void *bytes = zc_serialized_bytes(s, &size);
    cr_assert_eq(read_again(other.ctx, s, bytes, size, count, got), ZC_OK, "%s", zc_error_text(other.ctx));
    zc_serialized_free(s);
    for (int i = 0; i < count; i++) {
        cr_assert_eq(zc_dtype_of(got[i]), zc_dtype_of(wanted[i]));
        expect_same(materialized(&p, wanted[i]), materialized(&other, got[i]), 0, "read again");
    }
    free_pool(&other);
    free_pool(&p);
}

Test(serialize, graphs_keep_their_bits)
{
    zc_skip_of_one_thread();
    zc_random_begin("serialize/bits");
    for (int i = 0; i < zc_test_count(EXPRESSIONS); i++)
        check_round_trip(zc_random_bool() ? ZC_EXECUTOR_TILE : ZC_EXECUTOR_REFERENCE, (int)zc_random_range(1, 2));
}

/* Expects a graph that is written, read and written again to have the same bytes. */
Test(serialize, bytes_are_those_of_the_graph)
{
    zc_skip_of_one_thread();
    zc_random_begin("serialize/bytes");
    for (int i = 0; i < zc_test_count(EXPRESSIONS / 3); i++) {
        zc_tensor *wanted[MOST_RESULTS], *got[MOST_RESULTS];
        zc_serialized *s[2];
        const void *bytes[2];
        size_t size[2];
        pool p = new_pool(ZC_EXECUTOR_TILE, 1), other = new_pool(ZC_EXECUTOR_TILE, 1);
        int count = draw(&p, wanted);
        cr_assert_eq(zc_serialize(count, (const zc_tensor *const *)wanted, &s[0]), ZC_OK);
        bytes[0] = zc_serialized_bytes(s[0], &size[0]);
        cr_assert_eq(read_again(other.ctx, s[0], bytes[0], size[0], count, got), ZC_OK);
        cr_assert_eq(zc_serialize(count, (const zc_tensor *const *)got, &s[1]), ZC_OK);
        bytes[1] = zc_serialized_bytes(s[1], &size[1]);
        cr_assert_eq(size[0], size[1]);
        cr_assert_eq(memcmp(bytes[0], bytes[1], size[0]), 0, "%d", i);
        zc_serialized_free(s[0]);
        zc_serialized_free(s[1]);
        free_pool(&other);
        free_pool(&p);
    }
}

/* ---- Bytes from anybody ---- */

static bool stop_soon(void *user, int64_t done, int64_t total)
{
    (void)done, (void)total;
    return ++*(int *)user < 20;
}

/* Computes what damaged bytes tell, if they tell anything; only that it ends, and without harm, is expected. */
static void try_bytes(const zc_serialized *s, const void *bytes, size_t size, int count)
{
    zc_tensor *out[MOST_RESULTS];
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .memory_limit = 1 << 20, .header_limit = 16 << 20});
    zc_scope *scope = zc_scope_begin(ctx);
    zc_status status = read_again(ctx, s, bytes, size, count, out);
    cr_assert((status == ZC_OK) == (zc_error_status(ctx) == ZC_OK), "%d: %s", (int)status, zc_error_text(ctx));
    for (int i = 0; i < count; i++) {
        int calls = 0;
        zc_tensor *made = NULL;
        cr_assert((status == ZC_OK) == (out[i] != NULL));
        zc_set_progress(ctx, stop_soon, &calls);
        status = status == ZC_OK ? zc_materialize(out[i], &made) : status;
        cr_assert_neq(status, ZC_ERROR_INTERNAL, "%s", zc_error_text(ctx));
        zc_error_clear(ctx);
        for (int k = i; k < count && status != ZC_OK; k++)
            return zc_scope_end(scope), zc_context_free(ctx);
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
}

static void damage(int64_t *words, size_t count)
{
    for (int64_t i = zc_random_range(1, 3); i > 0; i--) {
        int64_t *word = &words[zc_random_range(0, (int64_t)count - 1)];
        switch (zc_random_range(0, 5)) {
        case 0:
            *word ^= (int64_t)(UINT64_C(1) << zc_random_range(0, 63));
            break;
        case 1:
            *word = (int64_t)((uint64_t)*word + (uint64_t)zc_random_range(-3, 3));
            break;
        case 2:
            *word = words[zc_random_range(0, (int64_t)count - 1)];
            break;
        case 3:
            *word = zc_random_bool() ? INT64_MAX : INT64_MIN;
            break;
        case 4:
            *word ^= zc_random_range(0, 255) << 8 * zc_random_range(0, 4);
            break;
        default:
            *word = zc_random_range(0, 70);
        }
    }
}

Test(serialize, damaged_bytes_do_no_harm)
{
    zc_skip_of_one_thread();
    zc_random_begin("serialize/damaged");
    for (int i = 0; i < zc_test_count(DAMAGED / 10); i++) {
        zc_tensor *wanted[MOST_RESULTS];
        zc_serialized *s;
        size_t size;
        pool p = new_pool(ZC_EXECUTOR_TILE, 1);
        int count = draw(&p, wanted);
        cr_assert_eq(zc_serialize(count, (const zc_tensor *const *)wanted, &s), ZC_OK);
        const void *bytes = zc_serialized_bytes(s, &size);
        for (int k = 0; k < 10; k++) {
            int64_t *words = malloc(size);
            memcpy(words, bytes, size);
            damage(words, size / sizeof *words);
            size_t left = zc_random_range(0, 9) > 0 ? size : 8 * (size_t)zc_random_range(1, (int64_t)size / 8);
            try_bytes(s, words, left, count);
            free(words);
        }
        zc_serialized_free(s);
        free_pool(&p);
    }
}

/* ---- Bytes that are made up ---- */

typedef struct told {
    int64_t at[2000];
    int count;
} told;

static void add(told *w, int count, const int64_t *list)
{
    memcpy(w->at + w->count, list, (size_t)count * sizeof *list);
    w->count += count;
}

static void add_zeros(told *w, int count)
{
    memset(w->at + w->count, 0, (size_t)count * sizeof *w->at);
    w->count += count;
}

/* That many nodes: 0 is a number, 1 a position, 2 two elements that are equal, as sqrt of node 0; others follow. */
static void begin_words(told *w, int nodes)
{
    const int64_t real = (int64_t)ZC_FLOAT64 << 16, whole = (int64_t)ZC_INT64 << 16, one = INT64_C(1) << 32;
    w->count = 0;
    add(w, 5, (const int64_t[]){ZC_SERIAL_MAGIC, ZC_SERIAL_VERSION, nodes, 0, 1});
    add(w, 4, (const int64_t[]){ZC_NODE_CONSTANT | real, 0, 0, 0});
    add(w, 4, (const int64_t[]){ZC_NODE_CONSTANT | whole, 0, 0, 0});
    add(w, 6, (const int64_t[]){ZC_NODE_MAP | ZC_OP_SQRT << 8 | real | one, 1 | 1 << 8, 2, 0, 0, 0});
}

/* Elements of node 2 at positions for that many axes, in a shape of that rank; as an update of node 2, where it is
 * one. */
static void add_moved(told *w, bool is_update, int rank, int moved, int64_t extent)
{
    const int64_t kind = is_update ? ZC_NODE_SCATTER : ZC_NODE_TAKE;
    add(w, 1, (const int64_t[]){kind | ZC_FLOAT64 << 16 | (int64_t)(1 + moved + is_update) << 32});
    add(w, 1, (const int64_t[]){is_update ? 1 | rank << 8 : rank | rank << 8});
    if (is_update) {
        add(w, 4, (const int64_t[]){2, (int64_t)moved << 32, 1, 0});
        add_zeros(w, rank);
    }
    for (int a = 0; a < rank; a++)
        add(w, 1, (const int64_t[]){1 + (a == 0)});
    for (int i = 0; i < moved; i++)
        add(w, 3, (const int64_t[]){i == 0 ? 2 : extent, i == 0, 0});
    add(w, 1, (const int64_t[]){2});
    add_zeros(w, 1 + rank);
    for (int i = 0; i < moved; i++) {
        add(w, 1, (const int64_t[]){1});
        add_zeros(w, 1 + rank);
    }
    if (is_update)
        add(w, 3, (const int64_t[]){2, 0, 0});
    add(w, 3, (const int64_t[]){3, 0, 0});
}

/* Expects elements that are moved so to be read and computed if that is right, and refused if not. */
static void check_moved(bool is_update, int rank, int moved, int64_t extent, bool is_right)
{
    told w;
    zc_tensor *out = NULL, *made = NULL;
    zc_context *ctx = zc_context_new(NULL);
    begin_words(&w, 4);
    add_moved(&w, is_update, rank, moved, extent);
    zc_status status = zc_deserialize(ctx, w.at, (size_t)w.count * sizeof *w.at, 0, NULL, 1, &out);
    cr_expect_eq(status, is_right ? ZC_OK : ZC_ERROR_FORMAT, "%d %d %d %ld: %s", is_update, rank, moved, (long)extent,
                 zc_error_text(ctx));
    if (status == ZC_OK)
        cr_expect_eq(zc_materialize(out, &made), ZC_OK, "%s", zc_error_text(ctx));
    zc_release(made);
    zc_release(out);
    zc_context_free(ctx);
}

/* Views that show what is moved have the moved axes behind the others, and are views of one tensor. */
Test(serialize, knows_how_many_axes_may_move)
{
    for (int is_update = 0; is_update < 2; is_update++) {
        for (int rank = 61; rank <= ZC_MAX_RANK; rank++)
            check_moved(is_update == 1, rank, 2, 3, rank + 2 <= ZC_MAX_RANK);
        check_moved(is_update == 1, 1, 3, INT64_C(1) << 30, true);
        check_moved(is_update == 1, 1, 3, INT64_C(1) << 31, false);
        check_moved(is_update == 1, 1, 3, 0, false);
        check_moved(is_update == 1, 1, 3, -1, false);
    }
}

/* In the open scope. */
static double number_of(const zc_tensor *t)
{
    zc_tensor *made = NULL;
    cr_assert_eq(zc_materialize(t, &made), ZC_OK);
    return *(const double *)zc_data(made);
}

/* An input is its elements, whatever is known of the tensor that stands for it: sums are walked, not told by rule. */
Test(serialize, knows_no_more_of_inputs_than_was_written)
{
    enum { LENGTH = 1000 };
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *even = zc_exp(zc_broadcast_to(zc_full(ctx, 0, NULL, ZC_FLOAT64, -2.3), ZC_SHAPE(LENGTH))), *dense, *read;
    zc_serialized *s;
    size_t size;
    cr_assert_eq(zc_materialize(even, &dense), ZC_OK);
    const zc_tensor *total = zc_sum(dense, ZC_ALL_AXES, false), *input = even;
    cr_assert_eq(zc_serialize(1, &total, &s), ZC_OK);
    const void *bytes = zc_serialized_bytes(s, &size);
    cr_assert_eq(zc_deserialize(ctx, bytes, size, 1, &input, 1, &read), ZC_OK, "%s", zc_error_text(ctx));
    zc_serialized_free(s);
    const double by_rule = number_of(zc_sum(even, ZC_ALL_AXES, false)), walked = number_of(total);
    cr_assert_neq(walked, by_rule);
    cr_expect_eq(number_of(read), walked);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* ---- Failures ---- */

typedef struct wrong_bytes {
    int word;
    int64_t value;
    zc_status status;
    const char *sentence;
} wrong_bytes;

#define NO_INPUT                                                                                                       \
    "deserialize: node 0 has no input of its dtype and length whose elements stand in a row in memory, or in a source"

/* Words of exp(x) + 1 for x of two elements; each with one that is wrong. */
static const wrong_bytes wrong[] = {
    {0, 7, ZC_ERROR_FORMAT, "deserialize: these bytes are no graph of a machine with this byte order"},
    {1, 9, ZC_ERROR_FORMAT, "deserialize: the graph is of version 9, not of 1"},
    {2, 1000, ZC_ERROR_FORMAT, "deserialize: 1000 nodes are more than the bytes hold"},
    {2, 0, ZC_ERROR_FORMAT, "deserialize: 0 nodes are more than the bytes hold"},
    {3, 2, ZC_ERROR_ARGUMENT, "deserialize: the graph has 2 inputs and 1 results, not 1 and 1"},
    {4, 2, ZC_ERROR_ARGUMENT, "deserialize: the graph has 1 inputs and 2 results, not 1 and 1"},
    {5, 99, ZC_ERROR_FORMAT, "deserialize: node 0 is of no kind that there is"},
    {6, 65, ZC_ERROR_FORMAT, "deserialize: node 0 is no node"},
    {7, -2, ZC_ERROR_FORMAT, NULL},
    {7, 3, ZC_ERROR_FORMAT, NO_INPUT},
    {8, 1, ZC_ERROR_FORMAT, NO_INPUT},
    {10, 99, ZC_ERROR_FORMAT, NULL},
};

/* exp(x) + 1 in the open scope. */
static zc_tensor *write_small(zc_context *ctx, zc_serialized **s)
{
    zc_tensor *x = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(2), (const double[]){1, 2}, 16);
    zc_tensor *y = zc_add(zc_exp(x), zc_weak_int(ctx, 1));
    cr_assert_eq(zc_serialize(1, (const zc_tensor *const *)&y, s), ZC_OK);
    return y;
}

static void expect_refused(zc_context *ctx, const void *bytes, size_t size, const zc_tensor *input, zc_status status,
                           const char *sentence)
{
    zc_tensor *out = NULL;
    cr_expect_eq(zc_deserialize(ctx, bytes, size, 1, &input, 1, &out), status, "%s", zc_error_text(ctx));
    cr_expect(sentence == NULL || strcmp(zc_error_text(ctx), sentence) == 0, "%s", zc_error_text(ctx));
    cr_expect_null(out);
    zc_error_clear(ctx);
}

Test(serialize, tells_what_is_wrong)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *const *inputs;
    zc_serialized *s;
    size_t size;
    int64_t words[100] = {0};
    zc_tensor *y = write_small(ctx, &s);
    const void *bytes = zc_serialized_bytes(s, &size);
    cr_assert_eq(zc_serialized_inputs(s, &inputs), 1);
    cr_assert_leq(size, sizeof words);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        memcpy(words, bytes, size);
        words[wrong[i].word] = wrong[i].value;
        expect_refused(ctx, words, size, inputs[0], wrong[i].status, wrong[i].sentence);
    }
    expect_refused(ctx, bytes, size - 8, inputs[0], ZC_ERROR_FORMAT, "deserialize: result 0 ends too early");
    memcpy(words, bytes, size);
    expect_refused(ctx, words, size + 8, inputs[0], ZC_ERROR_FORMAT,
                   "deserialize: there is more after the last result");
    expect_refused(ctx, bytes, 3, inputs[0], ZC_ERROR_ARGUMENT, NULL);
    expect_refused(ctx, bytes, size, y, ZC_ERROR_FORMAT, NULL);
    expect_refused(ctx, bytes, size, NULL, ZC_ERROR_ARGUMENT, "deserialize: inputs[0] is NULL");
    zc_tensor *row = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(4), (const double[]){1, 2, 3, 4}, 32);
    expect_refused(ctx, bytes, size, zc_slice(row, 0, 0, 4, 2), ZC_ERROR_FORMAT, NULL);
    expect_refused(ctx, bytes, size, zc_reshape(zc_slice(row, 0, 0, 2, 1), ZC_SHAPE(2, 1)), ZC_ERROR_FORMAT, NULL);
    expect_refused(ctx, bytes, size, row, ZC_ERROR_FORMAT, NULL);
    zc_serialized_free(s);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

Test(serialize, refuses_what_is_missing)
{
    zc_context *ctx = zc_context_new(NULL), *other = zc_context_new(NULL);
    zc_tensor *y = zc_iota(ctx, 2), *foreign = zc_iota(other, 2), *out;
    zc_serialized *s;
    size_t size;
    const zc_tensor *const *inputs;
    cr_expect_eq(zc_deserialize(NULL, "", 0, 0, NULL, 1, &out), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_deserialize(ctx, NULL, 8, 0, NULL, 1, &out), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_deserialize(ctx, "", 0, 0, NULL, 1, &out), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_deserialize(ctx, "1234567", 8, -1, NULL, 1, &out), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_deserialize(ctx, "1234567", 8, 1, NULL, 1, &out), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_deserialize(ctx, "1234567", 8, 0, NULL, 0, &out), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_deserialize(ctx, "1234567", 8, 0, NULL, 1, NULL), ZC_ERROR_ARGUMENT);
    zc_error_clear(ctx);
    cr_expect_eq(zc_serialize(0, &(const zc_tensor *){y}, &s), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_serialize(1, NULL, &s), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_serialize(1, &(const zc_tensor *){NULL}, &s), ZC_ERROR_ARGUMENT);
    cr_expect_null(s);
    cr_expect_eq(zc_serialize(2, (const zc_tensor *[]){y, NULL}, &s), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_serialize(2, (const zc_tensor *[]){y, foreign}, &s), ZC_ERROR_ARGUMENT);
    zc_error_clear(ctx);
    cr_expect_eq(zc_serialize(1, (const zc_tensor *[]){y}, NULL), ZC_ERROR_ARGUMENT);
    cr_expect_null(zc_serialized_bytes(NULL, &size));
    cr_expect_null(zc_serialized_bytes(NULL, NULL));
    cr_expect_eq(zc_serialized_inputs(NULL, &inputs), 0);
    cr_expect_eq(zc_serialized_inputs(NULL, NULL), 0);
    zc_serialized_free(NULL);
    zc_release(y);
    zc_release(foreign);
    zc_context_free(other);
    zc_context_free(ctx);
}

/* A broadcast of 10^12 elements travels as one, a window of a large tensor as the elements that it shows. */
Test(serialize, takes_what_is_used)
{
    enum { ALL = 100000 };
    double *values = calloc(ALL, sizeof *values);
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *x = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(ALL), values, ALL * sizeof *values);
    const zc_tensor *shown[] = {zc_broadcast_to(zc_slice(x, 0, 5, 6, 1), ZC_SHAPE(1000000, 1000000)),
                                zc_add(zc_slice(x, 0, 10, 40, 3), zc_slice(x, 0, 30, 20, -1)),
                                zc_take(x, zc_iota(ctx, 3), 0), zc_slice(x, 0, 7, 7, 1)};
    static const int64_t sizes[] = {1, 28, ALL, 0};
    for (int i = 0; i < 4; i++) {
        zc_serialized *s;
        size_t bytes;
        const zc_tensor *const *inputs;
        cr_assert_eq(zc_serialize(1, &shown[i], &s), ZC_OK);
        cr_expect_eq(zc_serialized_inputs(s, &inputs), 1);
        cr_expect_eq(zc_size(inputs[0]), sizes[i], "%d: %ld", i, (long)zc_size(inputs[0]));
        (void)zc_serialized_bytes(s, &bytes);
        cr_expect_leq(bytes, 400);
        zc_serialized_free(s);
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
    free(values);
}

Test(serialize, fails_at_every_allocation)
{
    zc_skip_of_one_thread();
    zc_random_begin("serialize/failing");
    for (int i = 0; i < zc_test_count(20); i++) {
        zc_failing state = {0};
        zc_allocator allocator = zc_failing_allocator(&state);
        zc_tensor *wanted[MOST_RESULTS], *got[MOST_RESULTS] = {NULL};
        zc_serialized *s = NULL;
        size_t size;
        pool p = {.ctx = zc_context_new(&(zc_options){.allocator = &allocator, .threads = 1})};
        p.scope = zc_scope_begin(p.ctx);
        int count = draw(&p, wanted);
        for (int64_t k = 1; s == NULL; k++) {
            cr_assert_lt(k, MOST_CALLS);
            state.fail_at = state.calls + k;
            zc_status status = zc_serialize(count, (const zc_tensor *const *)wanted, &s);
            state.fail_at = 0;
            cr_assert((status == ZC_OK) == (s != NULL) && (status == ZC_OK || status == ZC_ERROR_MEMORY));
            zc_error_clear(p.ctx);
        }
        const void *bytes = zc_serialized_bytes(s, &size);
        const zc_tensor *const *inputs;
        int input_count = zc_serialized_inputs(s, &inputs);
        for (int64_t k = 1; got[0] == NULL; k++) {
            cr_assert_lt(k, MOST_CALLS);
            state.fail_at = state.calls + k;
            zc_status status = zc_deserialize(p.ctx, bytes, size, input_count, inputs, count, got);
            state.fail_at = 0;
            cr_assert((status == ZC_OK) == (got[0] != NULL) && (status == ZC_OK || status == ZC_ERROR_MEMORY), "%d: %s",
                      (int)status, zc_error_text(p.ctx));
            zc_error_clear(p.ctx);
        }
        zc_serialized_free(s);
        free_pool(&p);
        cr_assert_eq(state.blocks, 0);
    }
}
