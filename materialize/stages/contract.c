#include "materialize/stages/contract.h"

#include <string.h>

#include "materialize/execute/counter.h"
#include "materialize/execute/evaluator.h"
#include "materialize/plan/stage_words.h"
#include "materialize/stages/contract_facts.h"
#include "materialize/stages/reduce.h"
#include "materialize/stages/reduce_finalize.h"
#include "materialize/stages/reduce_tree.h"

/* ---- Results ---- */

/* x * y, where it begins a chain: nothing is added to it then, not even a zero, which has a sign. Otherwise x * y +
 * sum, rounded once; of integers, which wrap, in two steps. */
static void add_real_product(zc_dtype dtype, bool begins, uint8_t *sum, const uint8_t *x, const uint8_t *y)
{
    zc_map_kernel *const(*map)[ZC_DTYPE_COUNT] = zc_kernels_portable.map;
    zc_scalar product;
    if (begins) {
        map[ZC_OP_MULTIPLY][dtype](sum, x, y, NULL, 1);
    } else if (zc_dtype_is_wide_float(dtype)) {
        map[ZC_OP_FMA][dtype](sum, x, y, sum, 1);
    } else {
        map[ZC_OP_MULTIPLY][dtype](product.bytes, x, y, NULL, 1);
        map[ZC_OP_ADD][dtype](sum, sum, product.bytes, NULL, 1);
    }
}

/* Adds complex products part by part: the real one with the products of the real parts, then of the imaginary ones,
 * negated; the imaginary one with those that begin with x's real part. */
static void add_product(zc_dtype dtype, bool begins, zc_scalar *sum, zc_scalar x, zc_scalar y)
{
    if (!zc_dtype_is_complex(dtype)) {
        add_real_product(dtype, begins, sum->bytes, x.bytes, y.bytes);
        return;
    }
    zc_dtype part = zc_dtype_part(dtype);
    const size_t bytes = zc_dtype_bytes(part);
    uint8_t *real = sum->bytes, *imaginary = sum->bytes + bytes, negative[sizeof(double)];
    zc_kernels_portable.map[ZC_OP_NEGATIVE][part](negative, x.bytes + bytes, NULL, NULL, 1);
    add_real_product(part, begins, real, x.bytes, y.bytes);
    add_real_product(part, false, real, negative, y.bytes + bytes);
    add_real_product(part, begins, imaginary, x.bytes, y.bytes + bytes);
    add_real_product(part, false, imaginary, x.bytes + bytes, y.bytes);
}

/* Contracts the products along the reduced axes at the evaluator's position: chains of ZC_CHAIN, whose sums are added
 * in order up to ZC_CHAINS_END, and what that makes by the tree. */
static zc_scalar contract_elements(zc_evaluator *e)
{
    const zc_stage *stage = e->stage;
    const zc_value *product = zc_stage_result(stage);
    zc_dtype dtype = (zc_dtype)product->dtype;
    zc_reduce_tree t = {.combine = zc_kernels_portable.map[ZC_OP_ADD][dtype]};
    zc_scalar chain = {.words = {0}}, run = {.words = {0}};
    int64_t count = 0;
    bool goes_on = true;
    while (goes_on) {
        (void)zc_evaluate(e);
        const zc_scalar x = e->values[product->arg[0]], y = e->values[product->arg[1]];
        add_product(dtype, count % ZC_CHAIN == 0, &chain, x, y);
        count++;
        goes_on = zc_evaluator_advance(e, stage->kept, stage->rank, 1);
        if (goes_on && count % ZC_CHAIN != 0)
            continue;
        run = (count - 1) % ZC_CHAINS_END < ZC_CHAIN ? chain : zc_tree_join(&t, run, chain);
        if (!goes_on || count % ZC_CHAINS_END == 0)
            zc_tree_push(&t, run);
    }
    return zc_tree_end(&t, false);
}

static void make_element(zc_evaluator *e, char *to)
{
    const zc_stage *stage = e->stage;
    zc_scalar result, sum;
    if (zc_is_combined(stage)) {
        sum = contract_elements(e);
        zc_finalize(stage, sum.bytes, NULL, result.bytes, 1);
    } else {
        zc_finalize(stage, zc_walked_count(stage) == 0 ? NULL : zc_evaluate(e)->bytes, NULL, result.bytes, 1);
    }
    memcpy(to, result.bytes, zc_dtype_bytes(stage->store.dtype));
}

/* ---- Plans ---- */

/* Tells a stage that stores all results one after the other. */
static bool stores_in_order(const zc_stage *stage)
{
    int64_t step = 1;
    for (int a = stage->kept - 1; a >= 0; a--) {
        if (stage->shape[a] > 1 && stage->store.stride[a] != step)
            return false;
        step *= stage->shape[a]; /* proven: at most the domain's size */
    }
    return true;
}

/* The state is a chain's sums, those of the run that it is in, and the digits of runs. */
static bool absorbs(const zc_stage *stage, zc_absorption *how)
{
    int64_t results;
    const int64_t item = (int64_t)zc_dtype_bytes(stage->store.dtype);
    const int levels = zc_counter_levels(zc_divide_up(zc_walked_count(stage), ZC_CHAINS_END));
    how->elements = ZC_CHAIN;
    return stage->reduce.invariant_count == 1 && stores_in_order(stage) &&
           zc_checked_multiply(zc_stage_extent(stage, 0, stage->kept), item, &results) &&
           zc_checked_multiply((int64_t)zc_align_data((size_t)results), 2 + levels, &how->state_bytes);
}

static const char *broken_rule(const zc_stage *stage)
{
    const zc_value *product = zc_stage_result(stage);
    const bool is_sound = stage->reduce.reduction == ZC_REDUCTION_SUM && product->kind == ZC_VALUE_OP &&
                          product->op == ZC_OP_MULTIPLY && product->dtype == stage->store.dtype &&
                          stage->value_count <= ZC_MOST_CONTRACTED_VALUES && zc_stage_has_no_positions(stage);
    return is_sound ? NULL : "a contraction sums products of a few values without positions";
}

/* Counts the computation of each operand element once, and a load of it per product. */
static double work(const zc_stage *stage)
{
    const zc_value *product = zc_stage_result(stage);
    const double products = zc_stage_real_extent(stage, UINT64_MAX);
    double sum = products * zc_value_work(product);
    for (int i = 0; i < product->arity; i++)
        sum += stage->values[product->arg[i]].kind == ZC_VALUE_OP ? products : 0;
    for (int32_t v = 0; v + 1 < stage->value_count; v++) {
        const zc_value *value = &stage->values[v];
        const bool is_factor = v == product->arg[0] || v == product->arg[1];
        const bool is_loaded = is_factor && zc_value_reads(value);
        sum += zc_value_work(value) * (is_loaded ? products : zc_stage_real_extent(stage, value->axes));
    }
    return sum;
}

/* ---- Explanation ---- */

static const char *result_name(const zc_stage *stage)
{
    (void)stage;
    return "contraction";
}

static zc_named result_use(const zc_stage *stage)
{
    return stage->rank > stage->kept
               ? (zc_named){"contracted", "goes into the contraction, which rounds it together with the sum"}
               : (zc_named){"by rule", "equal along the reduced axes, so not walked along them"};
}

static void add_count(const char *before, int64_t count, const char *thing, zc_text_builder *text)
{
    zc_text_add(text, "%s%lld %s%s", before, (long long)count, thing, count == 1 ? "" : "s");
}

static void add_text(const zc_stage *stage, zc_text_builder *text)
{
    const zc_contraction_facts facts = zc_explain_contraction(stage);
    zc_text_add(text, "%s", result_name(stage));
    add_count(" of ", facts.products, "product", text);
    add_count(" each in ", facts.chains, "chain", text);
    if (facts.runs > 1)
        add_count(" and ", facts.runs, "run", text);
    add_count(": ", facts.batches, "block", text);
    add_count(" of ", facts.rows, "row", text);
    add_count(" by ", facts.columns, "column", text);
    zc_reduce_add_invariant_axes(stage, text);
}

static void add_json(const zc_stage *stage, zc_text_builder *text)
{
    const zc_contraction_facts facts = zc_explain_contraction(stage);
    zc_reduce_add_json(stage, text);
    zc_text_add(text,
                ", \"contraction\": {\"batches\": %lld, \"rows\": %lld, \"columns\": %lld, \"products\": %lld, "
                "\"chains\": %lld, \"runs\": %lld}",
                (long long)facts.batches, (long long)facts.rows, (long long)facts.columns, (long long)facts.products,
                (long long)facts.chains, (long long)facts.runs);
}

const zc_stage_kind zc_stage_kind_contract = {
    ZC_STAGE_KIND_ROW(contract),
    .reduces = true,
    .absorbs = absorbs,
    .packs_operands = true,
    .work = work,
    .broken_rule = broken_rule,
    .make_element = make_element,
    .result_name = result_name,
    .result_use = result_use,
    .add_text = add_text,
    .add_json = add_json,
};
