#include "materialize/stages/contract_facts.h"

#include "materialize/kernels/kernels.h"
#include "materialize/stages/reduce.h"

/* Finds the value that is summed; 16-bit floats are summed as float32. */
static const zc_value *find_product(const zc_stage *stage)
{
    const zc_value *last = &stage->values[stage->value_count - 1];
    const bool is_cast = last->kind == ZC_VALUE_OP && last->op == ZC_OP_CAST;
    return is_cast && zc_dtype_is_narrow((zc_dtype)stage->values[last->arg[0]].dtype) ? &stage->values[last->arg[0]]
                                                                                      : last;
}

zc_contraction_facts zc_explain_contraction(const zc_stage *stage)
{
    const zc_value *product = find_product(stage);
    const uint64_t x = stage->values[product->arg[0]].axes, y = stage->values[product->arg[1]].axes;
    zc_contraction_facts facts = {.batches = 1, .rows = 1, .columns = 1};
    for (int a = 0; a < stage->kept; a++) {
        const bool moves_x = (x >> a & 1) != 0, moves_y = (y >> a & 1) != 0;
        int64_t *count = moves_x == moves_y ? &facts.batches : moves_x ? &facts.rows : &facts.columns;
        *count *= stage->shape[a]; /* proven: not more than the domain's size */
    }
    facts.products = zc_stage_extent(stage, stage->kept, stage->rank);
    facts.chains = zc_divide_up(facts.products, ZC_CHAIN);
    facts.runs = zc_divide_up(facts.products, ZC_CHAINS_END);
    return facts;
}

/* Loads, operations and stores per product, with as many results at a time as registers hold: one fused multiply-add,
 * loads that rows or columns share, and for either operand's panels a load and a store, shared by all that meet
 * them. */
static double count_contracted(const zc_contraction_facts *facts)
{
    enum { BLOCK = 12 };
    const double packing = 2, rows = (double)facts->rows, columns = (double)facts->columns;
    return 1 + 1 / (double)zc_smaller(facts->rows, BLOCK) + 1 / (double)zc_smaller(facts->columns, BLOCK) +
           packing / rows + packing / columns;
}

/* A product, a sum, and two loads that are used four times at best (materialize/tile/program/dots.h). */
static const double summed = 2.5;

static int count_long_axes(const zc_stage *stage, int from, int to)
{
    int count = 0;
    for (int a = from; a < to; a++)
        count += stage->shape[a] > 1;
    return count;
}

/* Tells whether a contraction would sum in the same dtype. */
static bool has_equal_dtype(const zc_stage *stage, const zc_value *product)
{
    const zc_dtype dtype = (zc_dtype)product->dtype;
    return stage->store.dtype == (zc_dtype_is_narrow(dtype) ? ZC_FLOAT32 : dtype);
}

zc_hint zc_explain_hint(const zc_stage *stage)
{
    const double least = 1.5;
    const zc_value *product = find_product(stage);
    if (!zc_stage_joins(stage) || stage->rank == stage->kept || stage->reduce.reduction != ZC_REDUCTION_SUM ||
        product->kind != ZC_VALUE_OP || product->op != ZC_OP_MULTIPLY || !has_equal_dtype(stage, product))
        return (zc_hint){NULL, 0, 0};
    const zc_contraction_facts facts = zc_explain_contraction(stage);
    if (summed < least * count_contracted(&facts))
        return (zc_hint){NULL, 0, 0};
    const bool is_matrices = facts.batches == 1 && count_long_axes(stage, 0, stage->kept) == 2 &&
                             count_long_axes(stage, stage->kept, stage->rank) <= 1;
    return (zc_hint){is_matrices ? "matmul" : "einsum", count_contracted(&facts), summed};
}
