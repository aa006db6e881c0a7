/*
 * The operation tables: what the planner and the executors need to know of an elementwise operation or a
 * reduction, made from ops.def and reductions.def.
 */
#ifndef ZC_RUNTIME_OPS_OPS_H
#define ZC_RUNTIME_OPS_OPS_H

#include "runtime/dtypes/dtype.h"

/* CAST converts between dtypes, BITCAST keeps the bits, and COPY repeats its operand in row-major order; REAL, IMAG and
 * CONJ take complex numbers only, and COMPLEX their parts. They are recorded by functions of their own, so they are no
 * rows. */
typedef enum zc_op {
#define ZC_OP(NAME, name, arity, domain, result, complex, cost, gradient, sign, meaning) ZC_OP_##NAME,
#include "runtime/ops/ops.def"
#undef ZC_OP
    ZC_OP_ROWS,
    ZC_OP_CAST = ZC_OP_ROWS,
    ZC_OP_BITCAST,
    ZC_OP_COPY,
    ZC_OP_REAL,
    ZC_OP_IMAG,
    ZC_OP_CONJ,
    ZC_OP_COMPLEX,
    ZC_OP_COUNT
} zc_op;

/* The costs that a row may have, and whether an operation of that cost has steps of chains: what costs more gains
 * nothing by them, since its kernels wait for arithmetic, not for memory. */
#define ZC_IS_CHEAP_1  YES
#define ZC_IS_CHEAP_2  YES
#define ZC_IS_CHEAP_4  YES
#define ZC_IS_CHEAP_8  NO
#define ZC_IS_CHEAP_12 NO
#define ZC_IS_CHEAP_14 NO
#define ZC_IS_CHEAP_16 NO
#define ZC_IS_CHEAP_20 NO
#define ZC_IS_CHEAP_24 NO
#define ZC_IS_CHEAP_32 NO

/* A cost that is not listed leaves the longer name as it is. */
#define ZC_IS_COST(cost)    ZC_IS_ANSWER(ZC_IS_CHEAP_##cost)
#define ZC_IS_ANSWER(word)  (sizeof ZC_WORD_TEXT(word) <= sizeof "YES")
#define ZC_WORD_TEXT(word)  ZC_WORD_TEXT_(word)
#define ZC_WORD_TEXT_(word) #word
#define ZC_OP(NAME, name, arity, domain, result, complex, cost, gradient, sign, meaning)                               \
    _Static_assert(ZC_IS_COST(cost), "runtime/ops/ops.def: " #name " costs " #cost ", which ops.h does not list");
#include "runtime/ops/ops.def"
#undef ZC_OP

typedef enum zc_domain {
    ZC_DOMAIN_ANY,
    ZC_DOMAIN_NUMBER,
    ZC_DOMAIN_BITS,
    ZC_DOMAIN_FLOAT,
    ZC_DOMAIN_ANY_SIGNLESS = ZC_DOMAIN_ANY, /* only the kernels tell these apart */
    ZC_DOMAIN_SIGNLESS = ZC_DOMAIN_NUMBER,
    ZC_DOMAIN_BLOCKS = ZC_DOMAIN_NUMBER,
    ZC_DOMAIN_SHIFT = ZC_DOMAIN_BITS,
    ZC_DOMAIN_RANGED = ZC_DOMAIN_FLOAT,
    ZC_DOMAIN_FORMAT = ZC_DOMAIN_FLOAT,
    ZC_DOMAIN_TRUTH,
    ZC_DOMAIN_SELECT
} zc_domain;

typedef enum zc_result {
    ZC_RESULT_SAME,
    ZC_RESULT_BOOL,
    ZC_RESULT_REAL,    /* the parts of complex operands */
    ZC_RESULT_COMPLEX, /* of which the operands are the parts */
    ZC_RESULT_NO       /* complex operands are refused */
} zc_result;

enum { ZC_MAX_ARITY = 3 };

typedef struct zc_op_info {
    const char *name;
    int arity;
    zc_domain domain;
    zc_result result;  /* of real operands */
    zc_result complex; /* of complex operands */
    int cost;
} zc_op_info;

extern const zc_op_info zc_ops[ZC_OP_COUNT];

static inline const zc_op_info *zc_op_describe(zc_op op)
{
    return &zc_ops[op];
}

/* Tells an operation that compares two operands: equal, not_equal, less ... */
static inline bool zc_op_compares(zc_op op)
{
    const zc_op_info *info = zc_op_describe(op);
    return info->arity == 2 && info->domain == ZC_DOMAIN_ANY && info->result == ZC_RESULT_BOOL;
}

/* Zeros whose value other files do not see (elements_float_tmpl.h). */
extern const float zc_zero_float32;
extern const double zc_zero_float64;

/* The dtype of the result of operands that met in that dtype. */
zc_dtype zc_op_result(const zc_op_info *op, zc_dtype meeting);

typedef enum __attribute__((packed)) zc_reduction {
#define ZC_REDUCTION(NAME, name, combine, padding, accumulator, empty, invariant) ZC_REDUCTION_##NAME,
#include "runtime/ops/reductions.def"
#undef ZC_REDUCTION
    ZC_REDUCTION_COUNT
} zc_reduction;

typedef enum zc_accumulator {
    ZC_ACCUMULATOR_SUM,
    ZC_ACCUMULATOR_MEAN,
    ZC_ACCUMULATOR_REAL,
    ZC_ACCUMULATOR_SAME,
    ZC_ACCUMULATOR_TRUTH
} zc_accumulator;

typedef enum zc_empty { ZC_EMPTY_VALUE, ZC_EMPTY_ERROR } zc_empty;

typedef enum zc_invariant_rule {
    ZC_INVARIANT_IGNORE,
    ZC_INVARIANT_MULTIPLY,
    ZC_INVARIANT_POWER,
    ZC_INVARIANT_LOG
} zc_invariant_rule;

typedef struct zc_reduction_info {
    const char *name;
    zc_op combine;
    zc_accumulator accumulator;
    zc_empty empty;
    zc_invariant_rule invariant;
} zc_reduction_info;

const zc_reduction_info *zc_reduction_describe(zc_reduction reduction);

/* Running results along an axis, made of the elements in their order. */
typedef enum __attribute__((packed)) zc_scan {
    ZC_SCAN_SUM,
    ZC_SCAN_PRODUCT,
    ZC_SCAN_PRODUCT_BEFORE, /* of the elements before, without the element itself: 1 at first */
    ZC_SCAN_RECURRENCE /* likewise: result[i] = element[i-1] + factor[i-1] * result[i-1], and 0 at first; of floats,
                          with a second operand, the factors. The first and the last factor have no effect. */
} zc_scan;

typedef struct zc_scan_info {
    const char *name;
    zc_reduction reduction; /* begins as the scan does; its operation takes an element in */
    bool is_before;         /* an element counts only for those after it */
} zc_scan_info;

const zc_scan_info *zc_scan_describe(zc_scan scan);

/* argmax and argmin, whose result is an index. */
static inline bool zc_reduction_is_index(zc_reduction reduction)
{
    return reduction == ZC_REDUCTION_ARGMAX || reduction == ZC_REDUCTION_ARGMIN;
}

/* Tells a reduction whose partial results are log sums: the largest element, and the sum of the exponentials of the
 * elements less it. */
static inline bool zc_reduction_has_log_sums(zc_reduction reduction)
{
    return reduction == ZC_REDUCTION_LOGSUMEXP;
}

/* Gives the dtype of partial results of elements of that dtype: of log sums the complex dtype as wide as both. */
static inline zc_dtype zc_reduction_partial(zc_reduction reduction, zc_dtype dtype)
{
    return !zc_reduction_has_log_sums(reduction) ? dtype : dtype == ZC_FLOAT32 ? ZC_COMPLEX64 : ZC_COMPLEX128;
}

/* ---- Updates ---- */

typedef struct zc_update_info {
    const char *name;
    zc_op op; /* of what is there and the value; ZC_OP_COPY: the value */
} zc_update_info;

enum { ZC_UPDATE_COUNT = ZC_UPDATE_MAX + 1 };

const zc_update_info *zc_update_describe(zc_update_op op);

#endif
