/* The kernels of the 16-bit floats, which compute in float32. */
#include "materialize/kernels/elements/elements.h"
#include "materialize/kernels/templates/emit.h"
#include "runtime/ops/elements.h"

/* Elements that are converted at a time; a leaf of a reduction is a whole number of blocks. */
enum { ZC_NARROW_BLOCK = 256 };

/* No instruction converts bfloat16. */
#define zc_widen_bfloat16(out, elements, n)      INT64_C(0)
#define zc_narrow_bfloat16(elements, numbers, n) INT64_C(0)

/* Not to be copied into its callers. */
#define ZC_APART __attribute__((noinline))

/* Meaning of a row's result column: whether the result is bool. */
#define ZC_GIVES_SAME false
#define ZC_GIVES_BOOL true

#undef ZC_EMIT_IN_ANY
#undef ZC_EMIT_IN_ANY_SIGNLESS
#undef ZC_EMIT_IN_NUMBER
#undef ZC_EMIT_IN_SIGNLESS
#undef ZC_EMIT_IN_FLOAT
#undef ZC_EMIT_IN_FORMAT
#define ZC_EMIT_IN_ANY(name, arity, result, meaning)          ZC_EMIT_NARROW(name, arity, result)
#define ZC_EMIT_IN_ANY_SIGNLESS(name, arity, result, meaning) ZC_EMIT_NARROW(name, arity, result)
#define ZC_EMIT_IN_NUMBER(name, arity, result, meaning)       ZC_EMIT_NARROW(name, arity, result)
#define ZC_EMIT_IN_SIGNLESS(name, arity, result, meaning)     ZC_EMIT_NARROW(name, arity, result)
#define ZC_EMIT_IN_FLOAT(name, arity, result, meaning)        ZC_EMIT_NARROW(name, arity, result)
#define ZC_EMIT_IN_BLOCKS(name, arity, result, meaning)       ZC_EMIT_NARROW(name, arity, result)
#define ZC_EMIT_IN_RANGED(name, arity, result, meaning)       ZC_EMIT_NARROW(name, arity, result)
#define ZC_EMIT_IN_FORMAT(name, arity, result, meaning)       ZC_EMIT_FORMAT(name, arity, meaning)

#define ZC_EMIT_NARROW(name, arity, result)                                                                            \
    void ZC_KERNEL(map_##name)(ZC_MAP_PARAMETERS)                                                                      \
    {                                                                                                                  \
        const void *const in[ZC_MAX_ARITY] = {in_x, in_y, in_z};                                                       \
        ZC_FN(map_blocks)(ZC_KERNEL_OF(map_##name, float32), arity, ZC_GIVES_##result, out, in, n);                    \
    }

/* The meaning on the elements' numbers, with functions of this dtype's name. */
#define ZC_EMIT_FORMAT(name, arity, meaning)                                                                           \
    void ZC_KERNEL(map_##name)(ZC_MAP_PARAMETERS)                                                                      \
    {                                                                                                                  \
        ZC_T *to = out;                                                                                                \
        ZC_OPERANDS_##arity(ZC_T) ZC_PARALLEL for (int64_t i = 0; i < n; i++)                                          \
        {                                                                                                              \
            ZC_ELEMENTS_##arity(float) to[i] = ZC_WRITE(meaning);                                                      \
        }                                                                                                              \
    }

#define ZC_KIND FLOAT
#define ZC_T    uint16_t

#define ZC_D    float16
#define ZC_NAME FLOAT16
#include "materialize/kernels/templates/narrow_tmpl.h"
#define ZC_D    bfloat16
#define ZC_NAME BFLOAT16
#include "materialize/kernels/templates/narrow_tmpl.h"
