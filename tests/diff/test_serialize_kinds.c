/*
 * Graphs of every kind of node written and read again: with their bits; with every allocation failing in turn; and with
 * each of their words set to values that are wrong, of which none does harm.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/diff/same.h"
#include "tests/support/failing.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

static zc_tensor *numbers(zc_context *ctx, zc_dtype dtype, int64_t rows, int64_t columns)
{
    double values[64];
    for (int64_t i = 0; i < rows * columns; i++)
        values[i] = (double)((i * 7 + 3) % 11) - 4;
    return zc_astype(zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(rows, columns), values, (size_t)(rows * columns) * 8),
                     dtype);
}

static zc_tensor *positions(zc_context *ctx, int64_t first, int64_t second)
{
    return zc_from_data(ctx, ZC_INT64, ZC_SHAPE(2), (const int64_t[]){first, second}, 16);
}

/* Elements 0 and 1 of axis 0 with 2 and 0 of axis 1. */
static zc_tensor *gathered(zc_context *ctx, const zc_tensor *x)
{
    return zc_gather(x, 2, (const int[]){0, 1}, (const zc_tensor *[]){positions(ctx, 0, 1), positions(ctx, 2, 0)});
}

static zc_tensor *slope(const zc_tensor *y, const zc_tensor *x)
{
    return zc_grad(zc_sum(y, ZC_ALL_AXES, false), x);
}

/* Two of each line, or their numbers. */
static zc_tensor *selected(const zc_tensor *x, int axis, bool wants_values)
{
    zc_tensor *values = NULL, *indices = NULL;
    if (zc_top_k(x, 2, axis, wants_values, &values, &indices) != ZC_OK)
        return NULL;
    return wants_values ? values : indices;
}

static zc_tensor *of_moves(zc_context *ctx, int which)
{
    zc_tensor *x = numbers(ctx, ZC_FLOAT32, 3, 4), *z = numbers(ctx, ZC_COMPLEX64, 3, 4), *one = zc_weak_int(ctx, 1);
    switch (which) {
    case 0:
        return zc_take(x, positions(ctx, 2, -1), 1);
    case 1:
        return zc_take_along_axis(x, zc_argmax(x, ZC_AXES(1), true), 1);
    case 2:
        return gathered(ctx, x);
    case 3:
        return slope(zc_multiply(gathered(ctx, x), gathered(ctx, x)), x);
    case 4:
        return zc_update(x, gathered(ctx, zc_places(x)), one, ZC_UPDATE_ADD);
    case 5:
        return zc_update(x, zc_slice(zc_places(x), 0, 0, 2, 1), one, ZC_UPDATE_MIN);
    case 6:
        return zc_update(z, zc_take(zc_places(z), positions(ctx, 1, 1), 0), one, ZC_UPDATE_MULTIPLY);
    case 7:
        return zc_update(zc_astype(x, ZC_FLOAT16), zc_slice(zc_places(x), 1, 0, 2, 1), one, ZC_UPDATE_SET);
    case 8:
        return zc_cumulative_sum(x, 1, false);
    case 9:
        return slope(zc_cumulative_prod(x, 0, false), x);
    case 10:
        return selected(zc_exp(x), 1, true);
    case 11:
        return selected(x, 0, false);
    default:
        return slope(zc_prod(x, ZC_AXES(1), false), x);
    }
}

enum { MOVES = 13, OTHERS = 25 };

static zc_tensor *of_high_rank(zc_context *ctx)
{
    int64_t shape[ZC_MAX_RANK];
    for (int a = 0; a < ZC_MAX_RANK; a++)
        shape[a] = a % 20 == 0 ? 2 : 1;
    zc_tensor *x = zc_exp(zc_astype(zc_iota(ctx, 16), ZC_FLOAT32));
    return zc_sum(zc_reshape(x, ZC_MAX_RANK, shape), ZC_AXES(0, 63), false);
}

/* Chain of `length` additions; a long one takes memory for its nodes again and again. */
static zc_tensor *long_chain(zc_context *ctx, int length)
{
    zc_tensor *t = numbers(ctx, ZC_FLOAT32, 2, 2);
    for (int i = 0; i < length; i++)
        t = zc_add(i % 3 == 0 ? numbers(ctx, ZC_FLOAT32, 2, 2) : zc_sin(t), t);
    return t;
}

static zc_tensor *of_operations(zc_context *ctx, int which)
{
    zc_tensor *x = numbers(ctx, ZC_FLOAT64, 3, 4), *z = numbers(ctx, ZC_COMPLEX128, 3, 4),
              *i = numbers(ctx, ZC_INT32, 3, 4);
    zc_tensor *row = zc_slice(x, 0, 1, 2, 1);
    switch (which) {
    case 0:
        return zc_where(zc_greater(x, row), zc_exp(x), zc_broadcast_to(row, ZC_SHAPE(3, 4)));
    case 1:
        return zc_matmul(x, zc_matrix_transpose(x));
    case 2:
        return zc_sum(zc_broadcast_to(zc_exp(row), ZC_SHAPE(5, 4)), ZC_AXES(0), true);
    case 3:
        return zc_argmin(x, ZC_AXES(0), false);
    case 4:
        return zc_concat(ctx, 3, (const zc_tensor *[]){x, zc_slice(x, 0, 0, 0, 1), zc_negative(x)}, 0);
    case 5:
        return zc_stack(ctx, 2, (const zc_tensor *[]){x, x}, 1);
    case 6:
        return zc_bitcast(zc_exp(x), ZC_INT64);
    case 7:
        return zc_add(zc_real(zc_exp(z)), zc_imag(zc_exp(z)));
    case 8:
        return zc_conj(zc_complex(zc_exp(x), x));
    case 9:
        return zc_copy(zc_matrix_transpose(x));
    case 10:
        return zc_reshape(zc_exp(zc_matrix_transpose(x)), ZC_SHAPE(2, 6));
    case 11:
        return zc_floor_divide(i, zc_weak_int(ctx, 3));
    case 12:
        return zc_astype(zc_exp(x), ZC_BFLOAT16);
    case 13:
        return zc_multiply(zc_weak_float(ctx, 2), zc_weak_complex(ctx, 1, -3));
    case 14:
        return zc_add(zc_iota(ctx, 6), zc_constant(ctx, ZC_UINT8, "A"));
    case 15:
        return zc_mean(x, ZC_ALL_AXES, false);
    case 16:
        return zc_complex(zc_exp(x), zc_astype(zc_exp(zc_astype(x, ZC_FLOAT32)), ZC_FLOAT64));
    case 17:
        return zc_astype(zc_matrix_transpose(zc_exp(zc_slice(x, 1, 0, 3, 1))), ZC_FLOAT32);
    case 18:
        return zc_weak_bool(ctx, true);
    case 19:
        return zc_weak_int(ctx, 5);
    case 20:
        return zc_weak_complex(ctx, 1, 2);
    case 21:
        return of_high_rank(ctx);
    case 22:
        return long_chain(ctx, 60);
    case 23:
        return zc_complex(zc_exp(zc_astype(x, ZC_FLOAT32)), zc_astype(x, ZC_FLOAT32));
    default:
        return zc_any(zc_equal(x, x), ZC_AXES(1), false);
    }
}

static zc_tensor *graph_of(zc_context *ctx, int which)
{
    return which < MOVES ? of_moves(ctx, which) : of_operations(ctx, which - MOVES);
}

static bool stop_soon(void *user, int64_t done, int64_t total)
{
    (void)done, (void)total;
    return ++*(int *)user < 10;
}

Test(serialize_kinds, keep_their_bits)
{
    zc_skip_of_one_thread();
    for (int i = 0; i < MOVES + OTHERS; i++) {
        zc_context *ctx = zc_context_new(NULL);
        zc_scope *scope = zc_scope_begin(ctx);
        zc_serialized *s = NULL;
        const zc_tensor *t = graph_of(ctx, i), *const * inputs;
        zc_tensor *again, *wanted, *got;
        size_t size;
        cr_assert_eq(zc_serialize(1, &t, &s), ZC_OK, "%d: %s", i, zc_error_text(ctx));
        const void *bytes = zc_serialized_bytes(s, &size);
        int count = zc_serialized_inputs(s, &inputs);
        cr_assert_eq(zc_deserialize(ctx, bytes, size, count, inputs, 1, &again), ZC_OK, "%d: %s", i,
                     zc_error_text(ctx));
        cr_assert_eq(zc_materialize(t, &wanted), ZC_OK);
        cr_assert_eq(zc_materialize(again, &got), ZC_OK);
        expect_same(wanted, got, 0, "read again");
        zc_serialized_free(s);
        zc_scope_end(scope);
        zc_context_free(ctx);
    }
}

/* Reads over a variable what was written without one. */
Test(serialize_kinds, selections_are_read_over_variables)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_serialized *s = NULL;
    const zc_tensor *t = selected(zc_exp(numbers(ctx, ZC_FLOAT64, 3, 4)), 1, true), *const * inputs;
    zc_tensor *again = NULL;
    size_t size;
    cr_assert_eq(zc_serialize(1, &t, &s), ZC_OK);
    const void *bytes = zc_serialized_bytes(s, &size);
    cr_assert_eq(zc_serialized_inputs(s, &inputs), 1);
    const zc_tensor *variable = zc_variable(inputs[0]);
    cr_assert_eq(zc_deserialize(ctx, bytes, size, 1, &variable, 1, &again), ZC_OK, "%s", zc_error_text(ctx));
    zc_serialized_free(s);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* ---- Wrong words ---- */

typedef struct attempt {
    zc_context *ctx;
    const zc_tensor *const *inputs;
    int input_count;
    int64_t *words;
    size_t count;
    int64_t refused, read;
} attempt;

/* Reads the words, and computes the tensor that they tell, if any. */
static void try_words(attempt *a)
{
    zc_tensor *out = NULL, *made = NULL;
    int calls = 0;
    zc_scope *scope = zc_scope_begin(a->ctx);
    zc_set_progress(a->ctx, stop_soon, &calls);
    zc_status status = zc_deserialize(a->ctx, a->words, a->count * 8, a->input_count, a->inputs, 1, &out);
    cr_assert_eq(status == ZC_OK, out != NULL);
    cr_assert_eq(status, zc_error_status(a->ctx), "%d: %s", (int)status, zc_error_text(a->ctx));
    if (status == ZC_OK)
        cr_assert_neq(zc_materialize(out, &made), ZC_ERROR_INTERNAL, "%s", zc_error_text(a->ctx));
    *(status == ZC_OK ? &a->read : &a->refused) += 1;
    zc_error_clear(a->ctx);
    zc_scope_end(scope);
}

static void try_word(attempt *a, size_t at)
{
    static const int64_t values[] = {-1, 0, 1, 2, 3, 4, 8, 63, 64, 65, 1 << 20, INT64_MAX, INT64_MIN, INT64_MAX / 2};
    const int64_t word = a->words[at];
    for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
        a->words[at] = values[v];
        try_words(a);
    }
    for (int bit = 0; bit < 48; bit++) {
        a->words[at] = word ^ INT64_C(1) << bit;
        try_words(a);
    }
    for (int64_t by = -2; by <= 2; by++) {
        a->words[at] = (int64_t)((uint64_t)word + (uint64_t)by);
        try_words(a);
    }
    for (int64_t kind = 0; kind < 12; kind++) {
        a->words[at] = (word & ~INT64_C(0xff)) | kind;
        try_words(a);
    }
    for (int64_t op = 0; op < 256; op += 1 + op / 16) {
        a->words[at] = (word & ~INT64_C(0xff00)) | op << 8;
        try_words(a);
    }
    a->words[at] = word;
}

static void try_graph(zc_context *ctx, int which)
{
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *t = graph_of(ctx, which);
    zc_serialized *s = NULL;
    size_t size;
    attempt a = {.ctx = ctx};
    cr_assert_eq(zc_serialize(1, &t, &s), ZC_OK, "%d: %s", which, zc_error_text(ctx));
    const void *bytes = zc_serialized_bytes(s, &size);
    a.input_count = zc_serialized_inputs(s, &a.inputs);
    a.words = malloc(size);
    memcpy(a.words, bytes, size);
    for (a.count = 0; a.count < size / 8; a.count++)
        try_words(&a); /* cut short */
    for (size_t at = 0; at < a.count; at++)
        try_word(&a, at);
    cr_expect(a.refused > 100 && a.read > 10, "%d: %ld refused, %ld read", which, (long)a.refused, (long)a.read);
    free(a.words);
    zc_serialized_free(s);
    zc_scope_end(scope);
}

#if defined(__SANITIZE_THREAD__)
enum { EVERY = 9 }; /* graph alone: where it takes minutes and has one thread */
#else
enum { EVERY = 1 };
#endif

Test(serialize_kinds, wrong_words_do_no_harm)
{
    zc_skip_of_one_thread();
    const zc_options options = {.threads = 1, .memory_limit = 1 << 16, .header_limit = 4 << 20};
    for (int i = 0; i < MOVES + OTHERS; i += EVERY) {
        zc_context *ctx = zc_context_new(&options);
        try_graph(ctx, i);
        cr_expect_eq(zc_memory_usage(ctx).held_bytes, 0, "%d: data memory is left", i);
        zc_context_free(ctx);
    }
}

/* Words behind the head: four of each input, then those of the node. */
enum { FIRST_INPUT = 5, SECOND_INPUT = 9, TO_DTYPE = 16 };

/* Reads a graph of two float64 inputs with one word changed, where the second input is `given`. */
static void expect_dtype_refused(zc_context *ctx, const zc_tensor *t, int at, zc_dtype dtype, const zc_tensor *given,
                                 const char *sentence)
{
    const zc_tensor *const *inputs;
    zc_tensor *out = NULL;
    zc_serialized *s = NULL;
    int64_t words[100];
    size_t size;
    cr_assert_eq(zc_serialize(1, &t, &s), ZC_OK, "%s", zc_error_text(ctx));
    const void *bytes = zc_serialized_bytes(s, &size);
    cr_assert(zc_serialized_inputs(s, &inputs) == 2 && size <= sizeof words);
    memcpy(words, bytes, size);
    words[at] = (words[at] & ~(INT64_C(0xff) << TO_DTYPE)) | (int64_t)dtype << TO_DTYPE;
    cr_expect_eq(zc_deserialize(ctx, words, size, 2, (const zc_tensor *[]){inputs[0], given}, 1, &out),
                 ZC_ERROR_FORMAT);
    cr_expect_str_eq(zc_error_text(ctx), sentence);
    zc_error_clear(ctx);
    zc_serialized_free(s);
}

Test(serialize_kinds, operands_of_other_dtypes_are_refused)
{
    static const char no_contraction[] = "deserialize: node 2 is no contraction",
                      no_dtype[] = "deserialize: node 2 takes no such dtype";
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    const double values[] = {1, 2, 3};
    zc_tensor *x = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(3), values, sizeof values), *integers = NULL, *floats = NULL,
              *y = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(3), values, sizeof values);
    cr_assert_eq(zc_materialize(zc_astype(x, ZC_INT64), &integers), ZC_OK);
    cr_assert_eq(zc_materialize(zc_astype(x, ZC_FLOAT32), &floats), ZC_OK);
    const zc_tensor *product = zc_vecdot(x, y, -1), *pair = zc_complex(x, y), *pair_of_one = zc_complex(y, x);
    expect_dtype_refused(ctx, product, SECOND_INPUT + 4, ZC_BOOL, y, no_contraction);
    expect_dtype_refused(ctx, product, SECOND_INPUT, ZC_FLOAT32, floats, no_contraction);
    expect_dtype_refused(ctx, pair, SECOND_INPUT, ZC_FLOAT32, floats, no_dtype);
    expect_dtype_refused(ctx, pair_of_one, SECOND_INPUT, ZC_INT64, integers, no_dtype);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* ---- Failing allocations ---- */

static zc_serialized *fail_to_write(zc_context *ctx, zc_failing *state, const zc_tensor *t)
{
    zc_serialized *s = NULL;
    for (int64_t k = 1; s == NULL; k++) {
        state->fail_at = state->calls + k;
        zc_status status = zc_serialize(1, &t, &s);
        state->fail_at = 0;
        cr_assert_eq(status, s != NULL ? ZC_OK : ZC_ERROR_MEMORY);
        zc_error_clear(ctx);
    }
    return s;
}

static void fail_each(zc_context *ctx, zc_failing *state, const zc_tensor *t)
{
    zc_serialized *s = fail_to_write(ctx, state, t);
    zc_tensor *out = NULL;
    const zc_tensor *const *inputs;
    size_t size;
    const void *bytes = zc_serialized_bytes(s, &size);
    int count = zc_serialized_inputs(s, &inputs);
    for (int64_t k = 1; out == NULL; k++) {
        state->fail_at = state->calls + k;
        zc_status status = zc_deserialize(ctx, bytes, size, count, inputs, 1, &out);
        state->fail_at = 0;
        cr_assert_eq(status, out != NULL ? ZC_OK : ZC_ERROR_MEMORY, "%d: %s", (int)status, zc_error_text(ctx));
        zc_error_clear(ctx);
    }
    zc_serialized_free(s);
}

Test(serialize_kinds, every_allocation_fails)
{
    zc_skip_of_one_thread();
    for (int i = 0; i < MOVES + OTHERS; i++) {
        zc_failing state = {0};
        zc_allocator allocator = zc_failing_allocator(&state);
        zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator, .threads = 1});
        zc_scope *scope = zc_scope_begin(ctx);
        fail_each(ctx, &state, graph_of(ctx, i));
        zc_scope_end(scope);
        zc_context_free(ctx);
        cr_assert_eq(state.blocks, 0, "%d: %ld blocks are left", i, (long)state.blocks);
    }
}

/* Varies the length of chains and the number of inputs side by side, which moves the ends of blocks of memory. */
Test(serialize_kinds, every_allocation_of_writing_fails_at_any_length)
{
    zc_skip_of_one_thread();
    enum { LENGTHS = 300 };
    const zc_tensor *parts[LENGTHS];
    zc_failing state = {0};
    zc_allocator allocator = zc_failing_allocator(&state);
    zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator, .threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    for (int i = 0; i < LENGTHS; i++) {
        parts[i] = numbers(ctx, ZC_FLOAT64, 1, 1);
        zc_serialized_free(fail_to_write(ctx, &state, zc_concat(ctx, i + 1, parts, 0)));
        if (i < 100)
            zc_serialized_free(fail_to_write(ctx, &state, long_chain(ctx, i)));
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
    cr_assert_eq(state.blocks, 0, "%ld blocks are left", (long)state.blocks);
}
