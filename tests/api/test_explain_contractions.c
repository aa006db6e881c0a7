/*
 * What zc_explain says of contractions, and which sums of products get the hint that one would make them with less.
 */
#include <stdio.h>
#include <string.h>

#include "tests/api/values.h"

static zc_tensor *numbers(bench b, zc_dtype dtype, int rank, const int64_t *shape)
{
    zc_tensor *held = NULL;
    cr_assert_eq(zc_materialize(zc_astype(count_to(b, rank, shape), dtype), &held), ZC_OK, "%s", zc_error_text(b.ctx));
    return held;
}

/* Counts the occurrences of `words` in what explain says. */
static int count_words(const zc_tensor *t, zc_format format, const char *words)
{
    char *text = NULL;
    int count = 0;
    cr_assert_eq(zc_explain(t, format, &text), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    for (const char *at = strstr(text, words); at != NULL; at = strstr(at + 1, words))
        count++;
    zc_text_free(zc_context_of(t), text);
    return count;
}

static void expect_words(const zc_tensor *t, zc_format format, const char *words)
{
    cr_expect_eq(count_words(t, format, words), 1, "%s", words);
}

/* Each pair that einsum contracts is a stage, in their order. */
Test(explain_contractions, tell_their_blocks_and_the_order_of_their_sums)
{
    bench b = begin();
    zc_tensor *x = numbers(b, ZC_FLOAT32, ZC_SHAPE(20, 30)), *y = numbers(b, ZC_FLOAT32, ZC_SHAPE(30, 5)),
              *v = numbers(b, ZC_FLOAT32, ZC_SHAPE(5)), *batch = numbers(b, ZC_FLOAT32, ZC_SHAPE(3, 2, 5000)),
              *one = numbers(b, ZC_FLOAT32, ZC_SHAPE(1, 1));
    expect_words(zc_matmul(x, y), ZC_TEXT,
                 "contraction of 30 products each in 1 chain: 1 block of 20 rows by 5 columns\n");
    expect_words(zc_matmul(batch, zc_matrix_transpose(batch)), ZC_TEXT,
                 "contraction of 5000 products each in 20 chains and 2 runs: 3 blocks of 2 rows by 2 columns\n");
    expect_words(zc_matmul(batch, zc_matrix_transpose(batch)), ZC_JSON,
                 "\"contraction\": {\"batches\": 3, \"rows\": 2, \"columns\": 2, \"products\": 5000, \"chains\": 20, "
                 "\"runs\": 2}");
    const zc_tensor *chain = zc_einsum(b.ctx, "ij,jk,k->i", TENSORS(x, y, v));
    expect_words(chain, ZC_TEXT, "of 5 products each in 1 chain: 1 block of 30 rows by 1 column\n    -> temporary");
    expect_words(chain, ZC_TEXT, "of 30 products each in 1 chain: 1 block of 20 rows by 1 column\n    -> output");
    expect_words(zc_matmul(zc_broadcast_to(one, ZC_SHAPE(4, 9)), zc_broadcast_to(one, ZC_SHAPE(9, 1))), ZC_TEXT,
                 "1 block of 1 row by 1 column, by rule over axis 2 of 9 elements, which are not walked");
    finish(b);
}

/* The same bytes in each form, and in the peak; none of what is small. */
Test(explain_contractions, tell_the_memory_of_panels)
{
    bench b = begin_with((zc_options){.threads = 2});
    zc_tensor *x = numbers(b, ZC_FLOAT32, ZC_SHAPE(300, 300)), *few = zc_slice(x, 0, 0, 20, 1);
    char words[96];
    const int64_t result = 300 * 300 * 4, panels = cost_of(zc_matmul(x, x)).peak_bytes - result;
    cr_assert_gt(panels, 1 << 17);
    (void)snprintf(words, sizeof words, ", strategy contract_block, in %ld bytes of scratch memory\n", (long)panels);
    expect_words(zc_matmul(x, x), ZC_TEXT, words);
    (void)snprintf(words, sizeof words, "\"scratch_bytes\": %ld, ", (long)panels);
    expect_words(zc_matmul(x, x), ZC_JSON, words);
    (void)snprintf(words, sizeof words, "\\n%ld bytes of scratch memory\"", (long)panels);
    expect_words(zc_matmul(x, x), ZC_DOT, words);
    cr_expect_eq(cost_of(zc_matmul(few, zc_matrix_transpose(few))).peak_bytes, 20 * 20 * 4);
    cr_expect_eq(count_words(zc_matmul(few, zc_matrix_transpose(few)), ZC_TEXT, "scratch"), 0);
    expect_words(zc_matmul(few, zc_matrix_transpose(few)), ZC_JSON, "\"scratch_bytes\": 0, ");
    finish(b);
}

static void expect_hint(const zc_tensor *t, const char *function)
{
    char sentence[64];
    (void)snprintf(sentence, sizeof sentence, "hint: %s would make these sums with", function);
    expect_words(t, ZC_TEXT, sentence);
    expect_words(t, ZC_DOT, sentence);
    (void)snprintf(sentence, sizeof sentence, "\"hint\": {\"function\": \"%s\"", function);
    expect_words(t, ZC_JSON, sentence);
}

static void expect_none(const zc_tensor *t)
{
    cr_assert_not_null(t);
    cr_expect_eq(count_words(t, ZC_TEXT, "hint"), 0);
    cr_expect_eq(count_words(t, ZC_DOT, "hint"), 0);
    cr_expect_eq(count_words(t, ZC_JSON, "hint"), 0);
}

/* sum(x[:, :, None] * y, 1) */
static zc_tensor *sum_product(const zc_tensor *x, const zc_tensor *y)
{
    return zc_sum(zc_multiply(zc_expand_dims(x, 2), y), ZC_AXES(1), false);
}

Test(explain_contractions, are_what_sums_of_products_of_rows_and_columns_are_advised_to_be)
{
    bench b = begin();
    zc_tensor *x = numbers(b, ZC_FLOAT32, ZC_SHAPE(64, 64)), *y = numbers(b, ZC_FLOAT32, ZC_SHAPE(64, 64)),
              *many = numbers(b, ZC_FLOAT64, ZC_SHAPE(3, 64, 64)), *half = numbers(b, ZC_FLOAT16, ZC_SHAPE(64, 64)),
              *whole = numbers(b, ZC_INT64, ZC_SHAPE(64, 64)), *complex = numbers(b, ZC_COMPLEX64, ZC_SHAPE(64, 64));
    expect_hint(sum_product(x, y), "matmul");
    expect_hint(sum_product(half, half), "matmul");
    expect_hint(sum_product(whole, whole), "matmul");
    expect_hint(sum_product(complex, complex), "matmul");
    expect_hint(sum_product(zc_exp(x), y), "matmul");
    expect_hint(zc_sum(zc_multiply(zc_expand_dims(x, 1), y), ZC_AXES(2), false), "matmul"); /* rows with rows */
    expect_hint(zc_sum(zc_multiply(zc_expand_dims(many, 3), zc_expand_dims(many, 1)), ZC_AXES(2), false), "einsum");
    expect_hint(zc_sum(zc_multiply(zc_expand_dims(many, 3), y), ZC_AXES(2), false), "einsum");
    expect_hint(zc_sum(zc_multiply(zc_expand_dims(many, 3), zc_expand_dims(many, 2)), ZC_AXES(0, 1), false), "einsum");
    /* 1 + 2/12 + 4/64, and a product, a sum and half a load. */
    expect_words(
        sum_product(x, y), ZC_TEXT,
        "    hint: matmul would make these sums with 2.0 times fewer steps: 1.23 loads, operations and stores per "
        "product instead of 2.50 or more (counted, not measured); it rounds a product together with its sum\n");
    finish(b);
}

/* Factors that meet one other each, other dtypes of the result, other reductions, small ones, contractions. */
Test(explain_contractions, are_not_advised_where_they_would_not_be_faster_or_another_thing)
{
    bench b = begin();
    zc_tensor *x = numbers(b, ZC_FLOAT32, ZC_SHAPE(64, 64)), *v = numbers(b, ZC_FLOAT32, ZC_SHAPE(64)),
              *small = numbers(b, ZC_FLOAT32, ZC_SHAPE(8, 8)), *flat = numbers(b, ZC_FLOAT32, ZC_SHAPE(64, 2)),
              *narrow = numbers(b, ZC_INT8, ZC_SHAPE(64, 64)), *half = numbers(b, ZC_FLOAT16, ZC_SHAPE(64, 64)),
              *truth = numbers(b, ZC_BOOL, ZC_SHAPE(64, 64)), *none = numbers(b, ZC_FLOAT32, ZC_SHAPE(64, 0));
    expect_none(zc_sum(zc_multiply(x, x), ZC_AXES(1), false));
    expect_none(zc_sum(zc_multiply(x, v), ZC_AXES(1), false));
    expect_none(sum_product(small, small));
    expect_none(sum_product(x, flat));
    expect_none(sum_product(none, zc_matrix_transpose(none)));
    expect_none(sum_product(narrow, narrow));
    expect_none(zc_sum(zc_astype(zc_multiply(zc_expand_dims(half, 2), half), ZC_FLOAT64), ZC_AXES(1), false));
    expect_none(zc_any(zc_multiply(zc_expand_dims(truth, 2), truth), ZC_AXES(1), false));
    expect_none(sum_product(zc_slice(x, 1, 0, 1, 1), zc_slice(x, 0, 0, 1, 1)));
    expect_none(zc_slice(sum_product(x, x), 0, 0, 0, 1));
    expect_none(zc_max(zc_multiply(zc_expand_dims(x, 2), x), ZC_AXES(1), false));
    expect_none(zc_sum(zc_add(zc_expand_dims(x, 2), x), ZC_AXES(1), false));
    expect_none(zc_sum(zc_broadcast_to(x, ZC_SHAPE(9, 64, 64)), ZC_AXES(0), false));
    expect_none(zc_multiply(zc_expand_dims(x, 2), x));
    expect_none(zc_sum(x, ZC_AXES(1), false));
    expect_none(zc_matmul(x, x));
    finish(b);
}
