/* The kernel of an operation of a stage. */
#ifndef ZC_MATERIALIZE_EXECUTE_VALUE_KERNEL_H
#define ZC_MATERIALIZE_EXECUTE_VALUE_KERNEL_H

#include "materialize/kernels/tables/dispatch.h"
#include "materialize/plan/stage.h"

static inline zc_map_kernel *zc_kernel_of(const zc_kernels *kernels, const zc_stage *stage, const zc_value *value)
{
    /* The last operand has the dtype the operands meet in; `where` has a bool condition before it. */
    uint8_t from = stage->values[value->arg[value->arity - 1]].dtype;
    return value->op == ZC_OP_CAST ? kernels->cast[value->dtype][from] : kernels->map[value->op][from];
}

#endif
