/*
 * What zc_explain says, word for word, of one plan for each thing that can happen to a node: fused through a broadcast,
 * hoisted, reduced by rule, cut. A change of the planner that changes a plan shows here; the numbers in the texts
 * were worked out by hand.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/api/values.h"

static zc_tensor *zeros(zc_context *ctx, int rank, const int64_t *shape)
{
    static const float values[4096];
    int64_t size = 1;
    for (int a = 0; a < rank; a++)
        size *= shape[a];
    return zc_from_data(ctx, ZC_FLOAT32, rank, shape, values, (size_t)size * sizeof *values);
}

/* Takes out the lines that tell strategies, of which the machine's kernels have a say. */
static void drop_strategies(char *text)
{
    static const char begin[] = "    run by ";
    for (char *line = strstr(text, begin); line != NULL; line = strstr(line, begin)) {
        const char *next = strchr(line, '\n') + 1;
        memmove(line, next, strlen(next) + 1);
    }
}

static void check_text(const zc_tensor *t, const char *expected)
{
    char *text = NULL;
    cr_assert_eq(zc_explain(t, ZC_TEXT, &text), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    char *shown = strdup(text); /* what is freed has the length that it was given with */
    drop_strategies(shown);
    cr_assert_str_eq(shown, expected, "is:\n%s\nnot:\n%s", shown, expected);
    free(shown);
    zc_text_free(zc_context_of(t), text);
}

Test(explain, a_chain_over_a_broadcast_is_one_pass)
{
    bench b = begin();
    zc_tensor *matrix = zeros(b.ctx, ZC_SHAPE(20, 30)), *column = zeros(b.ctx, ZC_SHAPE(20, 1));
    zc_tensor *wide = zc_broadcast_to(column, ZC_SHAPE(20, 30));
    check_text(zc_relu(zc_add(zc_multiply(matrix, wide), zc_weak_int(b.ctx, 1))),
               "result: float32 (20, 30) strides (30, 1)\n"
               "bytes: 2400 logical, 2480 held, 2400 to write, 2400 at the peak\n"
               "    buffer   dtype    elements  bytes  life\n"
               "    output   float32       600   2400  written by stage 1\n"
               "    input 1  float32       600   2400  held\n"
               "    input 2  float32        20     80  held\n"
               "\n"
               "stage 1, result: makes what was asked for\n"
               "    domain (20, 30), 600 elements, 3 operations in one pass\n"
               "    value  operation       dtype    shape     strides  broadcast  invariant  logical  held  written  "
               "times  how\n"
               "    v0     load input 1    float32  (20, 30)  (30, 1)  -          -             2400  2400        0    "
               "  -  in place\n"
               "    v1     load input 2    float32  (20, 1)   (1, 0)   1          1             2400    80        0    "
               "  -  in place\n"
               "    v2     multiply v0 v1  float32  (20, 30)  -        -          -             2400     0        0    "
               "  1  fused\n"
               "    v3     constant 1      float32  (1, 1)    -        0 1        0 1           2400     0        0    "
               "  -  constant\n"
               "    v4     add v2 v3       float32  (20, 30)  -        -          -             2400     0        0    "
               "  1  fused\n"
               "    v5     relu v4         float32  (20, 30)  -        -          -             2400     0     2400    "
               "  1  stored\n"
               "    -> output: float32 (20, 30) strides (30, 1), 2400 bytes\n");
    finish(b);
}

Test(explain, what_varies_along_few_axes_is_hoisted_and_invariant_axes_are_reduced_by_rule)
{
    bench b = begin();
    zc_tensor *matrix = zeros(b.ctx, ZC_SHAPE(64, 32)), *row = zeros(b.ctx, ZC_SHAPE(32));
    zc_tensor *block = zc_broadcast_to(zc_add(zc_exp(row), matrix), ZC_SHAPE(1000, 64, 32));
    check_text(
        zc_sum(block, ZC_AXES(0, 2), false),
        "result: float32 (64,) strides (1,)\n"
        "bytes: 256 logical, 8320 held, 384 to write, 384 at the peak\n"
        "    buffer       dtype    elements  bytes  life\n"
        "    output       float32        64    256  written by stage 2\n"
        "    input 1      float32        32    128  held\n"
        "    input 2      float32      2048   8192  held\n"
        "    temporary 3  float32        32    128  exp, stages 1 to 2\n"
        "\n"
        "stage 1, hoisted: evaluated once per element of its own axes, used along more\n"
        "    domain (32,), 32 elements, 1 operation in one pass\n"
        "    value  operation     dtype    shape  strides  broadcast  invariant  logical  held  written  times  how\n"
        "    v0     load input 1  float32  (32,)  (1,)     -          -              128   128        0      -  in "
        "place\n"
        "    v1     exp v0        float32  (32,)  -        -          -              128     0      128      1  "
        "stored\n"
        "    -> temporary 3: float32 (32,) strides (1,), 128 bytes\n"
        "\n"
        "stage 2, reduction: a reduction's results are there before they are used\n"
        "    domain (64,) reducing (32,), 2048 elements, 1 operation in one pass\n"
        "    value  operation         dtype    shape     strides  broadcast  invariant  logical  held  written  times  "
        "how\n"
        "    v0     load temporary 3  float32  (1, 32)   (0, 1)   0          0             8192   128        0      1  "
        "hoisted, stage 1\n"
        "    v1     load input 2      float32  (64, 32)  (32, 1)  -          -             8192  8192        0      -  "
        "in place\n"
        "    v2     add v0 v1         float32  (64, 32)  -        -          -             8192     0        0      1  "
        "joined\n"
        "    sum of 32 elements each, by rule over axis 0 of 1000 elements, which are not walked\n"
        "    -> output: float32 (64,) strides (1,), 256 bytes\n");
    finish(b);
}

Test(explain, a_view_without_strides_cuts)
{
    bench b = begin();
    zc_tensor *turned = zc_matrix_transpose(zc_exp(zeros(b.ctx, ZC_SHAPE(6, 4))));
    zc_tensor *folded = zc_flip(zc_reshape(turned, ZC_SHAPE(3, 8)), ZC_AXES(0));
    check_text(
        zc_exp(zc_slice(folded, 1, 0, 8, 3)),
        "result: float32 (3, 3) strides (3, 1)\n"
        "bytes: 36 logical, 96 held, 132 to write, 132 at the peak\n"
        "    buffer       dtype    elements  bytes  life\n"
        "    output       float32         9     36  written by stage 2\n"
        "    input 1      float32        24     96  held\n"
        "    temporary 2  float32        24     96  copy, stages 1 to 2\n"
        "\n"
        "stage 1, not affine: no strides express the view through which it is used\n"
        "    domain (4, 6), 24 elements, 2 operations in one pass\n"
        "    value  operation     dtype    shape   strides  broadcast  invariant  logical  held  written  times  how\n"
        "    v0     load input 1  float32  (4, 6)  (1, 4)   -          -               96    96        0      -  in "
        "place\n"
        "    v1     exp v0        float32  (4, 6)  -        -          -               96     0        0      1  "
        "fused\n"
        "    v2     copy v1       float32  (4, 6)  -        -          -               96     0       96      1  "
        "stored\n"
        "    -> temporary 2: float32 (4, 6) strides (6, 1), 96 bytes\n"
        "\n"
        "stage 2, result: makes what was asked for\n"
        "    domain (3, 3), 9 elements, 1 operation in one pass\n"
        "    value  operation         dtype    shape   strides          broadcast  invariant  logical  held  written  "
        "times  how\n"
        "    v0     load temporary 2  float32  (3, 3)  (-8, 3) from 16  -          -               36    96        0   "
        "   1  not affine, stage 1\n"
        "    v1     exp v0            float32  (3, 3)  -                -          -               36     0       36   "
        "   1  stored\n"
        "    -> output: float32 (3, 3) strides (3, 1), 36 bytes\n");
    finish(b);
}

Test(explain, what_exists_is_not_computed_and_free_copies_are_named)
{
    bench b = begin();
    zc_tensor *row = zeros(b.ctx, ZC_SHAPE(1, 5)), *out = NULL;
    check_text(row, "result: float32 (1, 5) strides (0, 1)\n"
                    "bytes: 20 logical, 20 held, 0 to write, 0 at the peak\n"
                    "    buffer   dtype    elements  bytes  life\n"
                    "    input 0  float32         5     20  held\n"
                    "nothing to run: the result exists\n");
    check_text(zc_flip(zc_broadcast_to(row, ZC_SHAPE(3, 5)), ZC_AXES(1)),
               "result: float32 (3, 5) strides (0, -1), broadcast along axis 0\n"
               "bytes: 60 logical, 20 held, 60 to write, 60 at the peak\n"
               "    buffer   dtype    elements  bytes  life\n"
               "    output   float32        15     60  written by stage 1\n"
               "    input 1  float32         5     20  held\n"
               "\n"
               "stage 1, result: makes what was asked for\n"
               "    domain (3, 5), 15 elements, a copy\n"
               "    value  operation     dtype    shape   strides         broadcast  invariant  logical  held  written "
               " times  how\n"
               "    v0     load input 1  float32  (1, 5)  (0, -1) from 4  0          0               60    20       60 "
               "     -  in place\n"
               "    -> output: float32 (3, 5) strides (5, 1), 60 bytes\n");
    zc_cost cost;
    cr_assert_eq(zc_cost_of(row, &cost), ZC_OK);
    cr_assert_eq(cost.written_bytes, 0);
    cr_assert_eq(zc_materialize(zc_exp(row), &out), ZC_OK);
    zc_release(out);
    finish(b);
}

Test(explain, counts_no_further_than_int64_and_says_so)
{
    bench b = begin();
    zc_tensor *n = zc_iota(b.ctx, INT64_C(1) << 31);
    zc_tensor *pairs = zc_multiply(zc_expand_dims(n, 1), n);
    char *text = NULL;
    cr_assert_eq(zc_explain(zc_max(pairs, ZC_ALL_AXES, false), ZC_TEXT, &text), ZC_OK);
    cr_assert_not_null(strstr(text, "  2^63 or more  "), "%s", text);
    zc_text_free(b.ctx, text);
    cr_assert_eq(zc_explain(zc_max(pairs, ZC_ALL_AXES, false), ZC_JSON, &text), ZC_OK);
    cr_assert_not_null(strstr(text, "\"logical_bytes\": null"), "%s", text);
    zc_text_free(b.ctx, text);
    finish(b);
}

static void expect_in_plan(bench b, const zc_tensor *t, const char *fact)
{
    char *text = NULL;
    cr_assert_eq(zc_explain(t, ZC_TEXT, &text), ZC_OK, "%s", zc_error_text(b.ctx));
    cr_expect_not_null(strstr(text, fact), "no %s in %s", fact, text);
    zc_text_free(b.ctx, text);
}

Test(explain, names_executor_and_strategy_of_each_stage)
{
    bench b = begin(), slow = begin_with((zc_options){.executor = ZC_EXECUTOR_REFERENCE});
    zc_tensor *x = zeros(b.ctx, ZC_SHAPE(20, 30)), *y = zeros(slow.ctx, ZC_SHAPE(20, 30));
    zc_tensor *sum = zc_sum(zc_exp(x), ZC_AXES(1), false);
    expect_in_plan(b, sum, "    run by tile, strategy reduce_rows\n");
    expect_in_plan(b, zc_sum(x, ZC_AXES(0), false), "    run by tile, strategy reduce_columns\n");
    expect_in_plan(b, zc_sum(x, ZC_ALL_AXES, false), "    run by tile, strategy reduce_run\n");
    expect_in_plan(b, zc_cumulative_sum(x, 1, false), "    run by tile, strategy scan\n");
    expect_in_plan(b, zc_matrix_transpose(x), "    run by tile, strategy transpose\n");
    expect_in_plan(b, zc_flip(x, ZC_AXES(0)), "    run by tile, strategy copy\n");
    expect_in_plan(b, zc_erf(x), "    run by tile, strategy map\n");
    expect_in_plan(slow, zc_erf(y), "    run by reference, strategy none\n");
    char *text = NULL;
    cr_assert_eq(zc_explain(sum, ZC_JSON, &text), ZC_OK);
    cr_expect_not_null(strstr(text, "\"executor\": \"tile\", \"strategy\": \"reduce_rows\""), "%s", text);
    zc_text_free(b.ctx, text);
    cr_assert_eq(zc_explain(sum, ZC_DOT, &text), ZC_OK);
    cr_expect_not_null(strstr(text, "by tile, reduce_rows"), "%s", text);
    zc_text_free(b.ctx, text);
    expect_in_plan(b, zc_exp(zc_slice(x, 0, 0, 0, 1)), "    run by none, strategy none\n"); /* it is empty */
    finish(slow);
    finish(b);
}

/* Expects each of the three forms to say why a buffer is whole, or none to say so. */
static void expect_whole(bench b, const zc_tensor *t, const char *name, int stage, const char *sentence)
{
    char wanted[2][160];
    (void)snprintf(wanted[0], sizeof wanted[0], "whole: stage %d %s", stage, sentence);
    (void)snprintf(wanted[1], sizeof wanted[1], "\"whole\": {\"reason\": \"%s\", \"stage\": %d}", name, stage);
    for (int form = ZC_TEXT; form <= ZC_DOT; form++) {
        char *text = NULL;
        cr_assert_eq(zc_explain(t, (zc_format)form, &text), ZC_OK);
        const bool says = strstr(text, sentence == NULL ? "whole" : wanted[form == ZC_JSON]) != NULL;
        cr_expect_eq(says, sentence != NULL, "%s", text);
        zc_text_free(b.ctx, text);
    }
}

/* Numbers in memory of their own. */
static zc_tensor *large(zc_context *ctx, int rank, const int64_t *shape)
{
    int64_t size = 1;
    for (int a = 0; a < rank; a++)
        size *= shape[a];
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(zc_astype(zc_reshape(zc_iota(ctx, size), rank, shape), ZC_FLOAT32), &out), ZC_OK);
    return out;
}

Test(explain, tells_why_a_buffer_is_whole)
{
    bench b = begin();
    zc_tensor *x = large(b.ctx, ZC_SHAPE(1500, 1500));
    zc_tensor *k = zc_exp(zc_cumulative_sum(x, 1, false));
    expect_whole(b, zc_sum(k, ZC_AXES(1), false), NULL, 0, NULL); /* it is made by blocks */
    expect_whole(b, zc_std(k, ZC_ALL_AXES, 0, false), "read later", 4, "reads it later, and it is not made again");
    expect_whole(b, zc_matmul(k, k), "read whole", 3, "does not read it by rows");
    expect_whole(b, zc_matmul(zc_matrix_transpose(k), k), "not worth it", 3,
                 "reads it, and blocks would save too little");
    zc_tensor *const both[] = {zc_exp(x), zc_cumulative_sum(x, 1, false)};
    zc_tensor *all = zc_concat(b.ctx, 2, (const zc_tensor *const *)both, 0);
    expect_whole(b, zc_std(all, ZC_ALL_AXES, 0, false), "made whole", 1, "does not make it by rows");
    expect_whole(b, zc_std(large(b.ctx, ZC_SHAPE(500, 500)), ZC_ALL_AXES, 0, false), NULL, 0, NULL); /* it is small */
    zc_tensor *one = zc_exp(zc_cumulative_sum(large(b.ctx, ZC_SHAPE(1, 1500, 1500)), 2, false));
    zc_tensor *low = zc_subtract(one, zc_max(one, ZC_ALL_AXES, true));
    expect_whole(b, zc_sum(zc_exp(low), ZC_ALL_AXES, false), "read later", 4,
                 "reads it later, and it is not made again");
    zc_tensor *wide = zc_exp(zc_cumulative_sum(large(b.ctx, ZC_SHAPE(1400, 1600)), 1, false));
    zc_tensor *off = zc_subtract(wide, zc_max(wide, ZC_AXES(0), false));
    expect_whole(b, zc_min(off, ZC_AXES(0), false), "read later", 4, "reads it later, and it is not made again");
    zc_tensor *line = zc_cumulative_sum(large(b.ctx, ZC_SHAPE(1000000)), 0, false);
    expect_whole(b, zc_std(line, ZC_ALL_AXES, 0, false), "made whole", 1, "does not make it by rows");
    zc_tensor *twice =
        zc_add(zc_sum(zc_matmul(k, k), ZC_ALL_AXES, false), zc_sum(zc_flip(k, ZC_AXES(0)), ZC_AXES(1), false));
    expect_whole(b, twice, "read whole", 3, "does not read it by rows");
    bench slow = begin_with((zc_options){.executor = ZC_EXECUTOR_REFERENCE}); /* which makes nothing by blocks */
    zc_tensor *y = large(slow.ctx, ZC_SHAPE(1, 1500, 1500));
    expect_whole(slow, zc_std(zc_exp(y), ZC_ALL_AXES, 0, false), NULL, 0, NULL);
    finish(slow);
    finish(b);
}

/* Expects these numbers of computed and of needed elements of `name` in the JSON form of the plan of t. */
static void expect_counts(bench b, const zc_tensor *t, const char *name, int64_t computed, int64_t needed)
{
    char *text = NULL, wanted[128];
    cr_assert_eq(zc_explain(t, ZC_JSON, &text), ZC_OK);
    (void)snprintf(wanted, sizeof wanted, "{\"name\": \"%s\"", name);
    const char *value = strstr(text, wanted), *end = value != NULL ? strchr(value, '}') : NULL;
    (void)snprintf(wanted, sizeof wanted, "\"computed_elements\": %" PRId64 ", \"needed_elements\": %" PRId64 ", ",
                   computed, needed);
    const char *found = value != NULL ? strstr(value, wanted) : NULL;
    cr_expect(found != NULL && found < end, "%s: not %s in\n%s", name, wanted, text);
    zc_text_free(b.ctx, text);
}

/* Windows of a cheap node are computed in each, those of a costly one once; two ends of a long axis and a table are
 * only computed where they are seen. */
Test(explain, tells_how_often_elements_are_computed)
{
    bench b = begin();
    zc_tensor *x = zc_reshape(zc_astype(zc_iota(b.ctx, 600), ZC_FLOAT32), ZC_SHAPE(60, 10)), *out;
    cr_assert_eq(zc_materialize(x, &out), ZC_OK);
    zc_tensor *cheap = zc_negative(x), *costly = zc_erf(zc_broadcast_to(x, ZC_SHAPE(1000, 60, 10)));
    expect_counts(b, zc_add(zc_slice(cheap, 0, 0, 50, 1), zc_slice(cheap, 0, 10, 60, 1)), "negative", 1000, 600);
    expect_counts(b, zc_add(zc_slice(cheap, 0, 0, 10, 1), zc_slice(cheap, 0, 50, 60, 1)), "negative", 200, 200);
    expect_counts(b, zc_add(zc_slice(costly, 1, 0, 50, 1), zc_slice(costly, 1, 10, 60, 1)), "erf", 600, 600);
    zc_tensor *places = zc_remainder(zc_iota(b.ctx, 100000), zc_weak_int(b.ctx, 60));
    expect_counts(b, zc_take(zc_erf(x), places, 0), "erf", 600, 600);
    expect_counts(b, zc_take(cheap, zc_slice(places, 0, 0, 5, 1), 0), "negative", 50, 50);
    zc_tensor *sums = zc_sum(zc_exp(x), ZC_AXES(1), true);
    expect_counts(b, zc_slice(zc_divide(x, sums), 0, 3, 9, 1), "exp", 60, 60);
    zc_release(out);
    finish(b);
}

/* ---- One line per stage ---- */

static void expect_brief(bench b, const zc_tensor *t, const char *expected)
{
    char *text = NULL;
    cr_assert_eq(zc_explain(t, ZC_BRIEF, &text), ZC_OK, "%s", zc_error_text(b.ctx));
    cr_expect_str_eq(text, expected, "is:\n%s\nnot:\n%s", text, expected);
    zc_text_free(b.ctx, text);
}

Test(explain, tells_a_line_per_stage)
{
    bench b = begin_with((zc_options){.executor = ZC_EXECUTOR_REFERENCE});
    zc_tensor *x = zeros(b.ctx, ZC_SHAPE(20, 30)), *sums = zc_sum(zc_exp(x), ZC_AXES(1), true);
    expect_brief(
        b, zc_divide(x, sums),
        "result: float32 (20, 30) strides (30, 1)\n"
        "bytes: 2400 logical, 2400 held, 2480 to write, 2480 at the peak\n"
        "stage  makes   shape                 strategy  blocks  reads                 into         bytes  why\n"
        "    1  sum     (20,) reducing (30,)  none      -       input 1               temporary 2     80  "
        "reduction\n"
        "    2  divide  (20, 30)              none      -       input 1, temporary 2  output        2400  "
        "result\n");
    expect_brief(b, x,
                 "result: float32 (20, 30) strides (30, 1)\n"
                 "bytes: 2400 logical, 2400 held, 0 to write, 0 at the peak\n"
                 "nothing to run: the result exists\n");
    finish(b);
}

/* Buffers beyond the first four are counted, and what a limit refuses says so. */
Test(explain, tells_some_buffers_of_a_stage)
{
    enum { COUNT = 9, SIZE = 1000 };
    bench b = begin_with((zc_options){.memory_limit = COUNT * SIZE * 8 + 100});
    const zc_tensor *sum = zc_weak_float(b.ctx, 1);
    for (int i = 0; i < COUNT; i++) {
        zc_tensor *each = NULL;
        cr_assert_eq(zc_materialize(zc_astype(zc_iota(b.ctx, SIZE), ZC_FLOAT64), &each), ZC_OK);
        sum = zc_add(zc_multiply(sum, each), each);
    }
    char *text = NULL;
    cr_assert_eq(zc_explain(sum, ZC_BRIEF, &text), ZC_OK);
    cr_expect_not_null(strstr(text, "input 4, ...  output"), "%s", text);
    cr_expect_not_null(strstr(text, "over the limit: "), "%s", text);
    zc_text_free(b.ctx, text);
    cr_assert_eq(zc_explain(zc_iota(b.ctx, 3), ZC_BRIEF, &text), ZC_OK);
    cr_expect_not_null(strstr(text, "  -      output"), "nothing is read: %s", text);
    zc_text_free(b.ctx, text);
    finish(b);
    b = begin();
    const zc_tensor *some = zeros(b.ctx, ZC_SHAPE(9)), *again = zc_slice(some, 0, 1, 9, 1);
    for (int i = 0; i < 3; i++)
        again = zc_add(again, zc_add(zc_slice(some, 0, 0, 8, 1), zeros(b.ctx, ZC_SHAPE(8))));
    cr_assert_eq(zc_explain(again, ZC_BRIEF, &text), ZC_OK);
    cr_expect_null(strstr(text, "..."), "four buffers, one of which is read twice: %s", text);
    zc_text_free(b.ctx, text);
    finish(b);
}

/* ---- JSON, dot and errors ---- */

Test(explain, names_stages_reasons_and_bytes)
{
    bench b = begin();
    zc_tensor *x = zc_reshape(zc_astype(zc_iota(b.ctx, 600), ZC_FLOAT32), ZC_SHAPE(20, 30));
    zc_tensor *wide = zc_add(zc_exp(x), zc_full(b.ctx, ZC_SHAPE(50, 20, 30), ZC_FLOAT32, INFINITY));
    zc_tensor *flags =
        zc_logical_and(zc_less(wide, zc_weak_int(b.ctx, 7)), zc_full(b.ctx, ZC_SCALAR_SHAPE, ZC_BOOL, 1));
    zc_tensor *counts = zc_sum(zc_add(flags, zc_full(b.ctx, ZC_SCALAR_SHAPE, ZC_UINT8, 3)), ZC_AXES(0), false);
    zc_tensor *all = zc_add(counts, zc_index(zc_index(counts, 0, 0), 0, 0));
    static const char *const words[] = {"result: uint64 (20, 30)", "reduction", "constant 3", "by rule", "bytes:"};
    char *text = NULL;
    cr_assert_eq(zc_explain(all, ZC_TEXT, &text), ZC_OK);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        cr_assert_not_null(strstr(text, words[i]), "no '%s' in:\n%s", words[i], text);
    zc_text_free(b.ctx, text);
    cr_assert_eq(zc_explain(all, ZC_JSON, &text), ZC_OK);
    cr_assert_eq(text[0], '{');
    cr_assert_not_null(strstr(text, "\"constant\": \"inf\""), "%s", text);
    cr_assert_not_null(strstr(text, "\"constant\": true"), "%s", text);
    cr_assert_not_null(strstr(text, "\"invariant_axes\": [0]"), "%s", text);
    zc_text_free(b.ctx, text);
    zc_tensor *view = zc_broadcast_to(OF(b.ctx, ZC_INT8, 5), ZC_SHAPE(9, 1));
    cr_assert_eq(zc_explain(view, ZC_TEXT, &text), ZC_OK);
    cr_assert_not_null(strstr(text, "broadcast along axis 0"), "%s", text);
    zc_text_free(b.ctx, text);
    cr_assert_eq(zc_explain(view, (zc_format)9, &text), ZC_ERROR_ARGUMENT);
    cr_assert_eq(zc_explain(view, ZC_TEXT, NULL), ZC_ERROR_ARGUMENT);
    finish(b);
}

Test(explain, says_what_a_scan_makes)
{
    bench b = begin();
    zc_tensor *x = zc_reshape(zc_astype(zc_iota(b.ctx, 600), ZC_FLOAT32), ZC_SHAPE(20, 30));
    zc_tensor *slope = zc_grad(zc_cumulative_prod(zc_cumulative_sum(x, 0, false), 1, false), x);
    static const char *const words[][2] = {{"along the last axis: sum\n", "\"scan\": \"sum\""},
                                           {"axis: prod before\n", "\"scan\": \"prod before\""},
                                           {"axis: recurrence before by factors v0\n", "\"scan_factor\": 0"}};
    for (int form = 0; form < 2; form++) {
        char *text = NULL;
        cr_assert_eq(zc_explain(slope, form == 0 ? ZC_TEXT : ZC_JSON, &text), ZC_OK);
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            cr_assert_not_null(strstr(text, words[i][form]), "no '%s' in:\n%s", words[i][form], text);
        zc_text_free(b.ctx, text);
    }
    finish(b);
}

Test(explain, shows_both_parts_of_a_complex_constant)
{
    bench b = begin();
    char *text = NULL;
    zc_tensor *sum = zc_add(OF(b.ctx, ZC_COMPLEX64, 1, 2), zc_weak_complex(b.ctx, 1, -INFINITY));
    cr_assert_eq(zc_explain(sum, ZC_TEXT, &text), ZC_OK);
    cr_assert_not_null(strstr(text, "constant 1-infj"), "%s", text);
    zc_text_free(b.ctx, text);
    cr_assert_eq(zc_explain(sum, ZC_JSON, &text), ZC_OK);
    cr_assert_not_null(strstr(text, "\"constant\": [1, \"-inf\"]"), "%s", text);
    zc_text_free(b.ctx, text);
    finish(b);
}

Test(explain, constants_of_bool_are_told_apart)
{
    bench b = begin();
    zc_tensor *truth = zc_equal(zc_iota(b.ctx, 3), zc_weak_int(b.ctx, 1));
    for (int value = 0; value < 2; value++) {
        char *text = NULL;
        cr_assert_eq(zc_explain(zc_logical_xor(truth, zc_weak_bool(b.ctx, value == 1)), ZC_JSON, &text), ZC_OK);
        cr_expect_not_null(strstr(text, value == 1 ? "\"constant\": true" : "\"constant\": false"), "%s", text);
        zc_text_free(b.ctx, text);
    }
    finish(b);
}
