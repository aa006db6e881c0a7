/*
 * Divisions: which pieces there are; what is no piece is refused; bytes from anybody are refused or harmless.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/diff/matrices.h"
#include "tests/diff/pieces.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

/* ---- Pieces ---- */

static counts count_pieces(const zc_division *d)
{
    counts counted = {{0}};
    for (int64_t i = 0; i < zc_division_count(d); i++) {
        zc_piece piece;
        cr_assert_eq(zc_division_piece(d, i, &piece), ZC_OK);
        counted.pieces[piece.kind]++;
    }
    return counted;
}

/* Checks how many pieces there are of each kind, and that their results are right. */
static void expect_pieces(zc_context *ctx, const zc_tensor *t, const int64_t *chunk, int64_t limit, counts expected)
{
    zc_division *d = NULL;
    zc_tensor *made = NULL;
    counts counted = {{0}};
    const zc_division_options options = {.chunks = (const int64_t *const[]){chunk}, .limit = limit};
    cr_assert_eq(zc_division_make(1, &t, &options, &d), ZC_OK, "%s", zc_error_text(ctx));
    counted = count_pieces(d);
    for (int kind = 0; kind <= ZC_PIECE_NODE; kind++)
        cr_expect_eq(counted.pieces[kind], expected.pieces[kind], "%d: %ld", kind, (long)counted.pieces[kind]);
    zc_division_free(d);
    cr_assert_eq(zc_materialize(zc_copy(t), &made), ZC_OK);
    check_division(ctx, 1, &t, (const zc_tensor *const[]){made}, &options, &counted);
}

Test(division_pieces, pieces_are_shared_where_they_would_be_computed_again)
{
    enum { ROWS = 70000, COLUMNS = 5, LIMIT = 8 * 1024 * COLUMNS * 4 };
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_random_begin("division/shared");
    const zc_tensor *x = numbers(ctx, ROWS, COLUMNS), *rows = zc_sum(zc_exp(zc_sin(x)), ZC_AXES(1), true);
    /* a mean and a sum of squares, each of 69 ranges of 1,024 rows, joined in 3 and in 1 */
    expect_pieces(ctx, standardized(x), (const int64_t[]){7000, 0}, LIMIT, (counts){{10, 2 * 69, 2 * 4, 0}});
    /* sums of rows follow the blocks */
    expect_pieces(ctx, zc_divide(x, rows), (const int64_t[]){7000, 0}, LIMIT, (counts){{10, 0, 0, 0}});
    /* what is small is computed again, or where there is room for all of it */
    expect_pieces(ctx, standardized(x), (const int64_t[]){7000, 0}, INT64_C(1) << 40, (counts){{10, 0, 0, 0}});
    /* one block needs a large sum, which several may make */
    expect_pieces(ctx, zc_sum(zc_exp(x), ZC_ALL_AXES, false), NULL, LIMIT, (counts){{1, 86, 4, 0}});
    /* a sum of rows follows the ranges of the sum of all: these are not computed again */
    expect_pieces(ctx, zc_sum(zc_divide(x, rows), ZC_AXES(0), false), NULL, LIMIT, (counts){{1, 69, 4, 0}});
    expect_pieces(ctx, zc_subtract(x, zc_logsumexp(x, ZC_ALL_AXES, false)), (const int64_t[]){35000, 0}, LIMIT,
                  (counts){{2, 86, 4, 0}});
    /* a row of products reads all of x: blocks of rows would read it again and again */
    expect_pieces(ctx, zc_matmul(zc_matrix_transpose(x), x), (const int64_t[]){1, 0}, LIMIT, (counts){{5, 18, 1, 0}});
    /* rows times a small matrix follow the blocks */
    expect_pieces(ctx, zc_matmul(x, zc_slice(x, 0, 0, 5, 1)), (const int64_t[]){7000, 0}, LIMIT,
                  (counts){{10, 0, 0, 0}});
    /* a scan is made in no parts */
    const zc_tensor *column = zc_index(x, 1, 0), *total = zc_index(zc_cumulative_sum(column, 0, false), 0, -1);
    expect_pieces(ctx, zc_subtract(x, total), (const int64_t[]){35000, 0}, INT64_C(1) << 21, (counts){{2, 0, 0, 1}});
    zc_scope_end(scope);
    zc_context_free(ctx);
}

static void expect_status(zc_context *ctx, zc_status status, zc_status wanted, const char *text)
{
    cr_expect_eq(status, wanted);
    cr_expect_str_eq(zc_error_text(ctx), text);
    zc_error_clear(ctx);
}

Test(division_pieces, what_is_no_piece_is_refused)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_division *d = NULL;
    zc_piece piece;
    zc_tensor *out[2];
    const zc_tensor *x = numbers(ctx, 5000, 3), *y = standardized(x);
    const zc_division_options wrong = {.chunks = (const int64_t *const[]){(const int64_t[]){-1, 0}}};
    expect_status(ctx, zc_division_make(1, &y, &wrong, &d), ZC_ERROR_ARGUMENT,
                  "division_make: a block of -1 elements along axis 0");
    cr_expect_null(d);
    cr_assert_eq(zc_division_make(1, &y, &(zc_division_options){.limit = 1000}, &d), ZC_OK);
    const int64_t count = zc_division_count(d);
    char text[128];
    snprintf(text, sizeof text, "division_piece: there is no piece %ld of %ld", (long)count, (long)count);
    expect_status(ctx, zc_division_piece(d, count, &piece), ZC_ERROR_ARGUMENT, text);
    snprintf(text, sizeof text, "division_record: there is no piece -1 of %ld", (long)count);
    expect_status(ctx, zc_division_record(d, -1, 0, NULL, out), ZC_ERROR_ARGUMENT, text);
    snprintf(text, sizeof text, "division_record: piece %ld is made of 2 inputs, not of 0", (long)count - 1);
    expect_status(ctx, zc_division_record(d, count - 1, 0, NULL, out), ZC_ERROR_ARGUMENT, text);
    const zc_tensor *inputs[] = {zc_index(x, 0, 0), zc_astype(zc_index(x, 0, 0), ZC_FLOAT64)};
    cr_expect_eq(zc_division_record(d, count - 1, 2, inputs, out), ZC_ERROR_DTYPE);
    cr_expect_null(out[0]);
    zc_error_clear(ctx);
    inputs[1] = x;
    cr_expect_eq(zc_division_record(d, count - 1, 2, inputs, out), ZC_ERROR_SHAPE);
    zc_error_clear(ctx);
    zc_division_free(d);
    expect_status(ctx, zc_division_restore(ctx, "12345678", 8, 0, NULL, &d), ZC_ERROR_FORMAT,
                  "division_restore: these bytes are no division: of no machine with this byte order");
    cr_expect_null(d);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

static void expect_lost(zc_status status, const char *text)
{
    cr_expect_eq(status, ZC_ERROR_ARGUMENT);
    cr_expect_str_eq(zc_error_text(NULL), text);
    zc_error_clear(NULL);
}

static void expect_nothing_of_no_division(void)
{
    size_t size = 1;
    zc_tensor *out[2];
    zc_piece piece;
    const zc_tensor *const *inputs = (const zc_tensor *const *)out;
    cr_expect_null(zc_division_bytes(NULL, &size));
    cr_expect_eq(size, 0);
    cr_expect_eq(zc_division_inputs(NULL, &inputs), 0);
    cr_expect_null(inputs);
    cr_expect_eq(zc_division_count(NULL), 0);
    zc_division_free(NULL);
    expect_lost(zc_division_piece(NULL, 0, &piece), "division_piece: s is NULL");
    expect_lost(zc_division_record(NULL, 0, 0, NULL, out), "division_record: s is NULL");
}

Test(division_pieces, arguments_that_are_missing_are_refused)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_division *d = NULL;
    size_t size = 0;
    const zc_tensor *const *inputs;
    const zc_tensor *y = zc_exp(numbers(ctx, 50, 3));
    zc_tensor *out[2] = {NULL, NULL};
    expect_nothing_of_no_division();
    expect_status(ctx, zc_division_make(1, &y, NULL, NULL), ZC_ERROR_ARGUMENT,
                  "division_make: there is nowhere to put the result");
    cr_assert_eq(zc_division_make(1, &y, NULL, &d), ZC_OK);
    cr_expect_eq(zc_division_count(d), 1);
    const void *bytes = zc_division_bytes(d, &size);
    cr_expect_eq(zc_division_bytes(d, NULL), bytes);
    cr_expect_eq(zc_division_inputs(d, NULL), zc_division_inputs(d, &inputs));
    expect_status(ctx, zc_division_piece(d, 0, NULL), ZC_ERROR_ARGUMENT,
                  "division_piece: there is nowhere to put the result");
    expect_status(ctx, zc_division_record(d, 0, 0, NULL, NULL), ZC_ERROR_ARGUMENT,
                  "division_record: there is nowhere to put the results");
    cr_expect_eq(zc_division_record(d, 0, 0, NULL, out), ZC_OK);
    const struct {
        const void *bytes;
        size_t size;
        int count;
        zc_division **out;
    } calls[] = {{NULL, 8, 0, &d},      {bytes, 0, 0, &d},
                 {bytes, 7, 0, &d},     {bytes, (size_t)(UINT64_C(1) << 40), 0, &d},
                 {bytes, size, -1, &d}, {bytes, size, 0, NULL}};
    zc_division_free(d);
    for (int i = 0; i < 6; i++) {
        char text[128];
        snprintf(text, sizeof text, "division_restore: %zu bytes with %d inputs make no division", calls[i].size,
                 calls[i].count);
        expect_status(ctx, zc_division_restore(ctx, calls[i].bytes, calls[i].size, calls[i].count, NULL, calls[i].out),
                      ZC_ERROR_ARGUMENT, text);
    }
    expect_status(ctx, zc_division_restore(ctx, "12345678", 8, 1, NULL, &d), ZC_ERROR_ARGUMENT,
                  "division_restore: inputs is NULL");
    expect_lost(zc_division_restore(NULL, "12345678", 8, 0, NULL, &d), "division_restore: ctx is NULL");
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* A piece of shared nodes with inputs of another shape, or none. */
Test(division_pieces, inputs_that_do_not_fit_are_refused)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_division *d = NULL;
    const zc_tensor *x = numbers(ctx, 70000, 1), *sum = zc_sum(zc_exp(x), ZC_ALL_AXES, false);
    cr_assert_eq(zc_division_make(1, &sum, &(zc_division_options){.limit = 8 * 1024 * 4}, &d), ZC_OK);
    int joins = 0;
    for (int64_t i = 0; i < zc_division_count(d); i++) {
        const zc_tensor *inputs[ZC_MOST_NEEDS];
        zc_tensor *out[2];
        zc_piece piece;
        cr_assert_eq(zc_division_piece(d, i, &piece), ZC_OK);
        for (int k = 0; k < piece.need_count; k++)
            inputs[k] = x;
        if (piece.kind != ZC_PIECE_JOIN)
            continue;
        joins++;
        cr_expect_eq(zc_division_record(d, i, piece.need_count, inputs, out), ZC_ERROR_ARGUMENT);
        cr_expect_null(out[0]);
        zc_error_clear(ctx);
        expect_status(ctx, zc_division_record(d, i, piece.need_count, NULL, out), ZC_ERROR_ARGUMENT,
                      "division_record: inputs is NULL");
    }
    cr_expect_gt(joins, 1);
    zc_division_free(d);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* ---- Extremes ---- */

/* More elements than bytes are counted, more pieces than are counted, and more nodes than are shared. */
Test(division_pieces, counts_that_are_too_large_are_met)
{
    enum { MANY = 40 };
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_division *d = NULL;
    zc_piece piece;
    int64_t axes[ZC_MAX_RANK];
    const int64_t side = INT64_C(1) << 31;
    const zc_tensor *one = zc_exp(zc_full(ctx, ZC_SHAPE(1, 1, 1), ZC_FLOAT64, 1));
    const zc_tensor *huge = zc_broadcast_to(one, ZC_SHAPE(1, side, side));
    cr_assert_eq(zc_division_make(1, &huge, NULL, &d), ZC_OK, "%s", zc_error_text(ctx));
    cr_expect_eq(zc_division_count(d), 1);
    cr_assert_eq(zc_division_piece(d, 0, &piece), ZC_OK);
    cr_expect_eq(piece.bytes, INT64_MAX);
    zc_division_free(d);
    const int64_t each[] = {1, 1, 1};
    const zc_division_options single = {.chunks = (const int64_t *const[]){each, each}};
    expect_status(ctx, zc_division_make(2, (const zc_tensor *const[]){huge, huge}, &single, &d), ZC_ERROR_OVERFLOW,
                  "division_make: there are more pieces than int64 counts");
    cr_expect_null(d);
    const zc_tensor *sums[] = {zc_sum(huge, ZC_AXES(1), false), zc_sum(zc_exp(huge), ZC_ALL_AXES, false),
                               zc_sum(zc_full(ctx, ZC_SHAPE(0, 3), ZC_FLOAT32, 1), ZC_AXES(1), false)};
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(zc_division_make(1, &sums[i], &(zc_division_options){.limit = 1000}, &d), ZC_OK, "%s",
                     zc_error_text(ctx));
        cr_expect_gt(zc_division_count(d), 0);
        zc_division_free(d);
    }
    for (int a = 0; a < ZC_MAX_RANK; a++)
        axes[a] = a == 0 ? 4096 : 1;
    const zc_tensor *x = numbers(ctx, 4096, 1), *deep = zc_exp(zc_reshape(x, ZC_MAX_RANK, axes));
    const zc_tensor *scaled = zc_divide(x, zc_sum(deep, ZC_ALL_AXES, false));
    zc_tensor *made = NULL;
    counts counted = {{0}};
    const zc_division_options rows = {.chunks = (const int64_t *const[]){(const int64_t[]){2048, 0}}, .limit = 4096};
    cr_assert_eq(zc_materialize(zc_copy(scaled), &made), ZC_OK);
    check_division(ctx, 1, &scaled, (const zc_tensor *const[]){made}, &rows, &counted);
    cr_expect_eq(counted.pieces[ZC_PIECE_NODE], 1);
    for (int i = 0; i < MANY; i++)
        scaled = zc_subtract(scaled, zc_mean(zc_abs(scaled), ZC_ALL_AXES, false));
    cr_assert_eq(zc_materialize(zc_copy(scaled), &made), ZC_OK);
    check_division(ctx, 1, &scaled, (const zc_tensor *const[]){made}, &rows, &counted);
    cr_expect_gt(counted.pieces[ZC_PIECE_NODE] + counted.pieces[ZC_PIECE_RANGE], ZC_MOST_NEEDS);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* A sum that several tensors use: blocks that use a part of it alone, or nothing. */
Test(division_pieces, parts_of_sums_are_used)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *made[2];
    counts counted = {{0}};
    zc_random_begin("division/used");
    const zc_tensor *x = numbers(ctx, 12, 5000), *sum = zc_sum(zc_exp(x), ZC_AXES(1), false);
    const zc_tensor *windows[] = {zc_slice(sum, 0, 0, 8, 1), zc_slice(sum, 0, 4, 12, 1)};
    const zc_tensor *both = zc_concat(
        ctx, 2, (const zc_tensor *[]){zc_index(x, 1, 0), zc_subtract(sum, zc_max(sum, ZC_ALL_AXES, false))}, 0);
    for (int i = 0; i < 2; i++)
        cr_assert_eq(zc_materialize(zc_copy(windows[i]), &made[i]), ZC_OK);
    check_division(ctx, 2, windows, (const zc_tensor *const *)made, &(zc_division_options){.limit = 4096}, &counted);
    cr_assert_eq(zc_materialize(zc_copy(both), &made[0]), ZC_OK);
    const zc_division_options first = {.chunks = (const int64_t *const[]){(const int64_t[]){12}}, .limit = 4096};
    check_division(ctx, 1, &both, (const zc_tensor *const *)made, &first, &counted);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* ---- Bytes from anybody ---- */

static void damage(int64_t *words, int64_t count)
{
    for (int64_t i = zc_random_range(1, 3); i > 0; i--) {
        int64_t *word = &words[zc_random_range(0, zc_random_bool() ? count - 1 : 8)];
        switch (zc_random_range(0, 3)) {
        case 0:
            *word ^= (int64_t)(UINT64_C(1) << zc_random_range(0, 63));
            break;
        case 1:
            *word = words[zc_random_range(0, count - 1)];
            break;
        case 2:
            *word = zc_random_bool() ? INT64_MAX : INT64_MIN;
            break;
        default:
            *word = zc_random_range(0, 70);
        }
    }
}

/* Looks at pieces, and records those that need nothing. */
static void look_at_pieces(zc_context *ctx, const zc_division *d)
{
    const int64_t count = zc_division_count(d);
    cr_assert_gt(count, 0);
    for (int k = 0; k < 20; k++) {
        zc_piece piece;
        zc_tensor *out[2];
        const int64_t i = k == 0 ? 0 : k == 1 ? count - 1 : zc_random_range(0, count - 1);
        cr_assert_eq(zc_division_piece(d, i, &piece), ZC_OK);
        for (int n = 0; n < piece.need_count; n++)
            cr_assert(piece.needs[n] >= 0 && piece.needs[n] < i);
        const zc_status status = zc_division_record(d, i, 0, NULL, out);
        cr_assert_neq(status, ZC_ERROR_INTERNAL);
        cr_assert(status != ZC_OK || out[0] != NULL);
        zc_error_clear(ctx);
    }
}

Test(division_pieces, damaged_bytes_do_no_harm)
{
    int restored = 0;
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_division *d = NULL;
    size_t size;
    const zc_tensor *const *inputs;
    zc_random_begin("division/damaged");
    const zc_tensor *y = standardized(numbers(ctx, 5000, 3));
    cr_assert_eq(zc_division_make(1, &y, &(zc_division_options){.limit = 1000}, &d), ZC_OK);
    const void *bytes = zc_division_bytes(d, &size);
    const int count = zc_division_inputs(d, &inputs);
    int64_t *words = malloc(size);
    for (int i = 0; i < zc_test_count(3000); i++) {
        zc_division *other = NULL;
        zc_scope *inner = zc_scope_begin(ctx);
        memcpy(words, bytes, size);
        damage(words, (int64_t)size / 8);
        const size_t left = zc_random_range(0, 9) > 0 ? size : 8 * (size_t)zc_random_range(1, (int64_t)size / 8);
        const zc_status status = zc_division_restore(ctx, words, left, count, inputs, &other);
        cr_assert_eq(status == ZC_OK, other != NULL);
        zc_error_clear(ctx);
        if (other != NULL)
            look_at_pieces(ctx, other);
        restored += other != NULL;
        zc_division_free(other);
        zc_scope_end(inner);
    }
    cr_assert_gt(restored, 10);
    free(words);
    zc_division_free(d);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* Tensors of no axes, said to be divided, and damaged heads. */
Test(division_pieces, words_of_no_division_are_refused)
{
    static const char early[] = "they end too early", none[] = "no limit, or no tensors";
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_division *d = NULL;
    size_t size;
    const zc_tensor *const *inputs;
    const zc_tensor *y = zc_exp(numbers(ctx, 5, 3));
    cr_assert_eq(zc_division_make(1, &y, NULL, &d), ZC_OK);
    const int64_t *good = zc_division_bytes(d, &size);
    const int64_t count = (int64_t)size / 8;
    cr_assert_eq(good[4], 2);
    const struct {
        int64_t at, word, left;
        const char *why;
    } damages[] = {{0, 1, count, "of no machine with this byte order"},
                   {1, 99, count, "of a library that computes other bits"},
                   {2, 0, count, none},
                   {3, 0, count, none},
                   {3, count + 1, count, none},
                   {3, 1, 4, early},
                   {4, -1, count, early},
                   {4, ZC_MAX_RANK + 1, count, early},
                   {4, 2, 6, early},
                   {5, 0, count, "a block has no elements"}};
    int64_t *words = malloc(size);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        char text[128];
        zc_division *other = NULL;
        memcpy(words, good, size);
        words[damages[i].at] = damages[i].word;
        snprintf(text, sizeof text, "division_restore: these bytes are no division: %s", damages[i].why);
        expect_status(ctx, zc_division_restore(ctx, words, 8 * (size_t)damages[i].left, 0, NULL, &other),
                      ZC_ERROR_FORMAT, text);
    }
    memcpy(words, good, size);
    words[4] = 1; /* blocks of one axis, before the graph */
    memmove(words + 6, words + 7, size - 7 * sizeof *words);
    const int input_count = zc_division_inputs(d, &inputs);
    zc_division *other = NULL;
    expect_status(ctx, zc_division_restore(ctx, words, size - 8, input_count, inputs, &other), ZC_ERROR_FORMAT,
                  "division_restore: these bytes are no division: blocks of other tensors");
    free(words);
    zc_division_free(d);
    zc_scope_end(scope);
    zc_context_free(ctx);
}
