/*
 * Makes a step of a chain from a row of ops.def: the macros that dtype_tmpl.h expands for each dtype, with
 * ZC_VECTOR_BYTES the size of a register. See chain.h.
 *
 * A step copies the registers into an array, computes element by element, and copies back. Compilers see through both
 * copies: the loop becomes one instruction per register, and the array is never made.
 */
#ifndef ZC_MATERIALIZE_KERNELS_TEMPLATES_CHAIN_EMIT_H
#define ZC_MATERIALIZE_KERNELS_TEMPLATES_CHAIN_EMIT_H

#include "materialize/kernels/domains.h"
#include "materialize/kernels/kernels.h"
#include "materialize/kernels/templates/names.h"

enum { ZC_TILE_REGISTERS = 8, ZC_TILE_BYTES = ZC_TILE_REGISTERS * ZC_VECTOR_BYTES };

#define ZC_STEP_PARAMETERS                                                                                             \
    const zc_chain_step *s, int64_t at, zc_vector v0, zc_vector v1, zc_vector v2, zc_vector v3, zc_vector v4,          \
        zc_vector v5, zc_vector v6, zc_vector v7
typedef void zc_step_function(ZC_STEP_PARAMETERS);

#if defined(__clang__)
#define ZC_TAIL __attribute__((musttail))
#else
#define ZC_TAIL
#endif
#define ZC_NEXT_STEP ZC_TAIL return ((zc_step_function *)s[1].run)(s + 1, at, v0, v1, v2, v3, v4, v5, v6, v7);

#define ZC_EACH_REGISTER(copy)                                                                                         \
    copy(0, v0) copy(1, v1) copy(2, v2) copy(3, v3) copy(4, v4) copy(5, v5) copy(6, v6) copy(7, v7)
#define ZC_REGISTER_OUT(i, v) memcpy(bytes + (i)*ZC_VECTOR_BYTES, &(v), ZC_VECTOR_BYTES);
/* In this order: a compiler that is free to reads a tile backwards, and then the processor does not read ahead. */
#define ZC_REGISTER_IN(i, v)                                                                                           \
    memcpy(&(v), bytes + (i)*ZC_VECTOR_BYTES, ZC_VECTOR_BYTES);                                                        \
    __asm__ volatile("" : "+v"(v));

static inline char *zc_operand_at(const zc_chain_step *s, int i, int64_t at)
{
    return s->operand[i].at + (at & s->operand[i].keep);
}

/* The elements of an operation's operands: t the tile, p and q from memory, of uniform ones the first. */
#define ZC_STEP_X_1         const ZC_T x = t;
#define ZC_STEP_X_2         const ZC_T x = t, y = p[i];
#define ZC_STEP_Y_2         const ZC_T x = p[i], y = t;
#define ZC_STEP_X_3         const ZC_T x = t, y = p[i], z = q[i];
#define ZC_STEP_Y_3         const ZC_T x = p[i], y = t, z = q[i];
#define ZC_STEP_Z_3         const ZC_T x = p[i], y = q[i], z = t;
#define ZC_STEP_X_UNIFORM_2 const ZC_T x = t, y = *p;
#define ZC_STEP_Y_UNIFORM_2 const ZC_T x = *p, y = t;
#define ZC_STEP_X_UNIFORM_3 const ZC_T x = t, y = *p, z = *q;
#define ZC_STEP_BOTH_2      const ZC_T x = t, y = t;

/* One step. What it needs of its dtype is said where it is expanded. */
#define ZC_EMIT_STEP(form, arity, name, meaning)                                                                       \
    void ZC_KERNEL(step_##name##_##form)(ZC_STEP_PARAMETERS)                                                           \
    {                                                                                                                  \
        ZC_STEP_BEGIN                                                                                                  \
        for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {                                              \
            const ZC_T t = elements[i];                                                                                \
            ZC_STEP_##form##_##arity elements[i] = ZC_WRITE(meaning);                                                  \
        }                                                                                                              \
        ZC_EACH_REGISTER(ZC_REGISTER_IN)                                                                               \
        ZC_NEXT_STEP                                                                                                   \
    }
#define ZC_STEP_BEGIN                                                                                                  \
    ZC_T elements[ZC_TILE_BYTES / sizeof(ZC_T)];                                                                       \
    char *bytes = (char *)elements;                                                                                    \
    const ZC_T *p = (const ZC_T *)(const void *)zc_operand_at(s, 0, at);                                               \
    const ZC_T *q = (const ZC_T *)(const void *)zc_operand_at(s, 1, at);                                               \
    (void)p, (void)q;                                                                                                  \
    ZC_EACH_REGISTER(ZC_REGISTER_OUT)

/* The forms that an operation of that arity has: m(form, arity, what else) for each. */
#define ZC_EACH_FORM_1(m, ...) m(X, 1, __VA_ARGS__)
#define ZC_EACH_FORM_2(m, ...)                                                                                         \
    m(X, 2, __VA_ARGS__) m(Y, 2, __VA_ARGS__) m(X_UNIFORM, 2, __VA_ARGS__) m(Y_UNIFORM, 2, __VA_ARGS__)                \
        m(BOTH, 2, __VA_ARGS__)
#define ZC_EACH_FORM_3(m, ...)                                                                                         \
    m(X, 3, __VA_ARGS__) m(Y, 3, __VA_ARGS__) m(Z, 3, __VA_ARGS__) m(X_UNIFORM, 3, __VA_ARGS__)

/* t * first + second by what they are. */
#define ZC_STEP_PRODUCT(factor) const ZC_T product = ZC_WRITE(t * (factor));
#define ZC_STEP_MEMORY_PRODUCT  ZC_STEP_PRODUCT(p[i])
#define ZC_STEP_UNIFORM_PRODUCT ZC_STEP_PRODUCT(*p)
#define ZC_STEP_SELF_PRODUCT    ZC_STEP_PRODUCT(t)
#define ZC_EMIT_MULTIPLY_ADD(form)                                                                                     \
    ZC_EMIT_STEP(form, PRODUCT, multiply_add, product + q[i])                                                          \
    ZC_EMIT_STEP(form, PRODUCT, multiply_add_uniform, product + *q)

/* ---- Which rows have steps, of which forms ---- */

/* The result and all operands are of one dtype. */
#define ZC_IS_STEP_SAME         YES
#define ZC_IS_STEP_BOOL         NO
#define ZC_IS_STEP_ANY          YES
#define ZC_IS_STEP_ANY_SIGNLESS YES
#define ZC_IS_STEP_NUMBER       YES
#define ZC_IS_STEP_SIGNLESS     YES
#define ZC_IS_STEP_BLOCKS       NO
#define ZC_IS_STEP_BITS         YES
#define ZC_IS_STEP_SHIFT        YES
#define ZC_IS_STEP_FLOAT        YES
#define ZC_IS_STEP_RANGED       YES
#define ZC_IS_STEP_FORMAT       YES
#define ZC_IS_STEP_TRUTH        NO
#define ZC_IS_STEP_SELECT       NO

#define ZC_ROW_IS_STEP(domain, result, cost)                                                                           \
    ZC_AND(ZC_AND(ZC_IS_STEP_##domain, ZC_IS_STEP_##result), ZC_IS_CHEAP_##cost)
#define ZC_ROW_HAS_STEPS(domain, group, result, cost)                                                                  \
    ZC_AND(ZC_DOMAIN_HAS(domain, group), ZC_ROW_IS_STEP(domain, result, cost))

/* ---- Prototypes ---- */

#pragma GCC visibility push(hidden)
#define ZC_DECLARE_STEP(form, arity, domain, name)                                                                     \
    ZC_EACH_CHAINED_IN(domain, ZC_DECLARE, zc_step_function, step_##name##_##form)
#define ZC_OP(NAME, name, arity, domain, result, complex, cost, gradient, sign, meaning)                               \
    ZC_IF(ZC_ROW_IS_STEP(domain, result, cost), ZC_EACH_FORM_##arity(ZC_DECLARE_STEP, domain, name))
#include "runtime/ops/ops.def"
#undef ZC_OP
#define ZC_DECLARE_MULTIPLY_ADD(form)                                                                                  \
    ZC_EACH_CHAINED_IN(SIGNLESS, ZC_DECLARE, zc_step_function, step_multiply_add_##form)                               \
    ZC_EACH_CHAINED_IN(SIGNLESS, ZC_DECLARE, zc_step_function, step_multiply_add_uniform_##form)
ZC_DECLARE_MULTIPLY_ADD(MEMORY)
ZC_DECLARE_MULTIPLY_ADD(UNIFORM)
ZC_DECLARE_MULTIPLY_ADD(SELF)
#pragma GCC visibility pop

#endif
