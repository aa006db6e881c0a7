#include "runtime/ops/ops.h"

const zc_op_info zc_ops[ZC_OP_COUNT] = {
#define ZC_OP(NAME, name, arity, domain, result, complex, cost, gradient, sign, meaning)                               \
    [ZC_OP_##NAME] = {#name, arity, ZC_DOMAIN_##domain, ZC_RESULT_##result, ZC_RESULT_##complex, cost},
#include "runtime/ops/ops.def"
#undef ZC_OP
    [ZC_OP_CAST] = {"astype", 1, ZC_DOMAIN_ANY, ZC_RESULT_SAME, ZC_RESULT_SAME, 1},
    [ZC_OP_BITCAST] = {"bitcast", 1, ZC_DOMAIN_ANY, ZC_RESULT_SAME, ZC_RESULT_SAME, 0},
    [ZC_OP_COPY] = {"copy", 1, ZC_DOMAIN_ANY, ZC_RESULT_SAME, ZC_RESULT_SAME, 0},
    [ZC_OP_REAL] = {"real", 1, ZC_DOMAIN_ANY, ZC_RESULT_SAME, ZC_RESULT_REAL, 1},
    [ZC_OP_IMAG] = {"imag", 1, ZC_DOMAIN_ANY, ZC_RESULT_SAME, ZC_RESULT_REAL, 1},
    [ZC_OP_CONJ] = {"conj", 1, ZC_DOMAIN_ANY, ZC_RESULT_SAME, ZC_RESULT_SAME, 1},
    [ZC_OP_COMPLEX] = {"complex", 2, ZC_DOMAIN_FLOAT, ZC_RESULT_COMPLEX, ZC_RESULT_NO, 1},
};

const float zc_zero_float32 = 0;
const double zc_zero_float64 = 0;

zc_dtype zc_op_result(const zc_op_info *op, zc_dtype meeting)
{
    switch (zc_dtype_is_complex(meeting) ? op->complex : op->result) {
    case ZC_RESULT_BOOL:
        return ZC_BOOL;
    case ZC_RESULT_REAL:
        return zc_dtype_part(meeting);
    case ZC_RESULT_COMPLEX:
        return zc_dtype_promote(meeting, ZC_COMPLEX64);
    default: /* ZC_RESULT_SAME */
        return meeting;
    }
}

static const zc_reduction_info reductions[ZC_REDUCTION_COUNT] = {
#define ZC_REDUCTION(NAME, name, combine, padding, accumulator, empty, invariant)                                      \
    [ZC_REDUCTION_##                                                                                                   \
        NAME] = {#name, ZC_OP_##combine, ZC_ACCUMULATOR_##accumulator, ZC_EMPTY_##empty, ZC_INVARIANT_##invariant},
#include "runtime/ops/reductions.def"
#undef ZC_REDUCTION
};

const zc_reduction_info *zc_reduction_describe(zc_reduction reduction)
{
    return &reductions[reduction];
}

static const zc_scan_info scans[] = {[ZC_SCAN_SUM] = {"sum", ZC_REDUCTION_SUM, false},
                                     [ZC_SCAN_PRODUCT] = {"prod", ZC_REDUCTION_PROD, false},
                                     [ZC_SCAN_PRODUCT_BEFORE] = {"prod before", ZC_REDUCTION_PROD, true},
                                     [ZC_SCAN_RECURRENCE] = {"recurrence before", ZC_REDUCTION_SUM, true}};

const zc_scan_info *zc_scan_describe(zc_scan scan)
{
    return &scans[scan];
}

static const zc_update_info updates[ZC_UPDATE_COUNT] = {
#define ZC_UPDATE(NAME, name, op) [ZC_UPDATE_##NAME] = {#name, ZC_OP_##op},
#include "runtime/ops/updates.def"
#undef ZC_UPDATE
};

const zc_update_info *zc_update_describe(zc_update_op op)
{
    return &updates[op];
}
