/*
 * How a row of ops.def becomes a step of a chain: the macros that kernels_dtype_tmpl.c expands for each dtype, with
 * ZC_VECTOR_BYTES the size of a register. See chain.h.
 *
 * A step copies the registers into an array, computes element by element, and copies back. Compilers see through both
 * copies: the loop becomes one instruction per register, and the array is never made.
 */
#ifndef ZC_MATERIALIZE_CHAINS_EMIT_H
#define ZC_MATERIALIZE_CHAINS_EMIT_H

#include <immintrin.h>

#include "materialize/chain.h"

enum { ZC_TILE_REGISTERS = 8, ZC_TILE_BYTES = ZC_TILE_REGISTERS * ZC_VECTOR_BYTES };

typedef float zc_vector __attribute__((vector_size(ZC_VECTOR_BYTES)));

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

#define ZC_EMIT_STEP(name, form, arity, meaning)                                                                       \
    static void ZC_JOIN(ZC_FN(step_##name), form)(ZC_STEP_PARAMETERS)                                                  \
    {                                                                                                                  \
        ZC_T elements[ZC_TILE_BYTES / sizeof(ZC_T)];                                                                   \
        char *bytes = (char *)elements;                                                                                \
        const ZC_T *p = (const ZC_T *)(const void *)zc_operand_at(s, 0, at);                                           \
        const ZC_T *q = (const ZC_T *)(const void *)zc_operand_at(s, 1, at);                                           \
        (void)p, (void)q;                                                                                              \
        ZC_EACH_REGISTER(ZC_REGISTER_OUT)                                                                              \
        for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {                                              \
            const ZC_T t = elements[i];                                                                                \
            ZC_STEP_##form##_##arity elements[i] = ZC_WRITE(meaning);                                                  \
        }                                                                                                              \
        ZC_EACH_REGISTER(ZC_REGISTER_IN)                                                                               \
        ZC_NEXT_STEP                                                                                                   \
    }

/* The forms that an operation of that arity has. */
#define ZC_EMIT_STEPS_1(name, meaning) ZC_EMIT_STEP(name, X, 1, meaning)
#define ZC_EMIT_STEPS_2(name, meaning)                                                                                 \
    ZC_EMIT_STEP(name, X, 2, meaning)                                                                                  \
    ZC_EMIT_STEP(name, Y, 2, meaning)                                                                                  \
    ZC_EMIT_STEP(name, X_UNIFORM, 2, meaning)                                                                          \
    ZC_EMIT_STEP(name, Y_UNIFORM, 2, meaning) ZC_EMIT_STEP(name, BOTH, 2, meaning)
#define ZC_EMIT_STEPS_3(name, meaning)                                                                                 \
    ZC_EMIT_STEP(name, X, 3, meaning)                                                                                  \
    ZC_EMIT_STEP(name, Y, 3, meaning)                                                                                  \
    ZC_EMIT_STEP(name, Z, 3, meaning) ZC_EMIT_STEP(name, X_UNIFORM, 3, meaning)

/* t * first + second by what they are. */
#define ZC_STEP_PRODUCT(factor) const ZC_T product = ZC_WRITE(t * (factor));
#define ZC_STEP_MEMORY_PRODUCT  ZC_STEP_PRODUCT(p[i])
#define ZC_STEP_UNIFORM_PRODUCT ZC_STEP_PRODUCT(*p)
#define ZC_STEP_SELF_PRODUCT    ZC_STEP_PRODUCT(t)
#define ZC_EMIT_MULTIPLY_ADD(form)                                                                                     \
    ZC_EMIT_STEP(multiply_add, form, PRODUCT, product + q[i])                                                          \
    ZC_EMIT_STEP(multiply_add_uniform, form, PRODUCT, product + *q)

/* Operations that cost more gain nothing by a chain: their kernels wait for arithmetic, not for memory. */
#define ZC_IF_CHEAP_1(x) x
#define ZC_IF_CHEAP_2(x) x
#define ZC_IF_CHEAP_4(x) x
#define ZC_IF_CHEAP_8(x)
#define ZC_IF_CHEAP_12(x)
#define ZC_IF_CHEAP_14(x)
#define ZC_IF_CHEAP_16(x)
#define ZC_IF_CHEAP_20(x)
#define ZC_IF_CHEAP_24(x)
#define ZC_IF_CHEAP_32(x)

/* ---- Steps that do not ask for a dtype ---- */

static void step_load(ZC_STEP_PARAMETERS)
{
    const char *bytes = zc_operand_at(s, 0, at);
    ZC_EACH_REGISTER(ZC_REGISTER_IN)
    ZC_NEXT_STEP
}

static void step_store(ZC_STEP_PARAMETERS)
{
    char *bytes = zc_operand_at(s, 0, at);
    ZC_EACH_REGISTER(ZC_REGISTER_OUT)
    ZC_NEXT_STEP
}

#if ZC_VECTOR_BYTES == 64
#define ZC_STREAM_VECTOR(to, v) _mm512_stream_ps((float *)(void *)(to), (__m512)(v))
#else
#define ZC_STREAM_VECTOR(to, v) _mm256_stream_ps((float *)(void *)(to), (__m256)(v))
#endif
#define ZC_REGISTER_STREAM(i, v) ZC_STREAM_VECTOR(bytes + (i)*ZC_VECTOR_BYTES, v);

static void step_stream(ZC_STEP_PARAMETERS)
{
    char *bytes = zc_operand_at(s, 0, at);
    if ((uintptr_t)bytes % ZC_VECTOR_BYTES == 0) {
        ZC_EACH_REGISTER(ZC_REGISTER_STREAM)
    } else {
        ZC_EACH_REGISTER(ZC_REGISTER_OUT)
    }
    ZC_NEXT_STEP
}

static void step_end(ZC_STEP_PARAMETERS)
{
    (void)s, (void)at, (void)v0, (void)v1, (void)v2, (void)v3, (void)v4, (void)v5, (void)v6, (void)v7;
}

static void run_chain(const zc_chain_step *steps, int64_t bytes)
{
    zc_step_function *first = (zc_step_function *)steps->run;
    const zc_vector none = {0};
    int64_t at = 0;
    for (; at <= bytes - ZC_TILE_BYTES; at += ZC_TILE_BYTES)
        first(steps, at, none, none, none, none, none, none, none, none);
    if (at < bytes)
        first(steps, bytes - ZC_TILE_BYTES, none, none, none, none, none, none, none, none);
    _mm256_zeroupper(); /* steps end without: code for the baseline would wait for what is in the upper halves */
}

/* ---- The table ---- */

#define ZC_STEP_INTEGERS(name, form)                                                                                   \
    [ZC_INT8] = (zc_chain_function)step_##name##_int8_##form,                                                          \
    [ZC_INT16] = (zc_chain_function)step_##name##_int16_##form,                                                        \
    [ZC_INT32] = (zc_chain_function)step_##name##_int32_##form,                                                        \
    [ZC_INT64] = (zc_chain_function)step_##name##_int64_##form,                                                        \
    [ZC_UINT8] = (zc_chain_function)step_##name##_uint8_##form,                                                        \
    [ZC_UINT16] = (zc_chain_function)step_##name##_uint16_##form,                                                      \
    [ZC_UINT32] = (zc_chain_function)step_##name##_uint32_##form,                                                      \
    [ZC_UINT64] = (zc_chain_function)step_##name##_uint64_##form
#define ZC_STEP_FLOATS(name, form)                                                                                     \
    [ZC_FLOAT32] = (zc_chain_function)step_##name##_float32_##form, [ZC_FLOAT64] = (zc_chain_function)                 \
                                                                        step_##name##_float64_##form

#define ZC_STEP_FORM_ANY(name, form)    [ZC_CHAIN_##form] = {ZC_STEP_INTEGERS(name, form), ZC_STEP_FLOATS(name, form)},
#define ZC_STEP_FORM_NUMBER(name, form) ZC_STEP_FORM_ANY(name, form)
#define ZC_STEP_FORM_BITS(name, form)   [ZC_CHAIN_##form] = {ZC_STEP_INTEGERS(name, form)},
#define ZC_STEP_FORM_FLOAT(name, form)  [ZC_CHAIN_##form] = {ZC_STEP_FLOATS(name, form)},
#define ZC_STEP_FORM_FORMAT(name, form) ZC_STEP_FORM_FLOAT(name, form)

#define ZC_STEP_FORMS_1(domain, name) ZC_STEP_FORM_##domain(name, X)
#define ZC_STEP_FORMS_2(domain, name)                                                                                  \
    ZC_STEP_FORM_##domain(name, X) ZC_STEP_FORM_##domain(name, Y) ZC_STEP_FORM_##domain(name, X_UNIFORM)               \
        ZC_STEP_FORM_##domain(name, Y_UNIFORM) ZC_STEP_FORM_##domain(name, BOTH)
#define ZC_STEP_FORMS_3(domain, name)                                                                                  \
    ZC_STEP_FORM_##domain(name, X) ZC_STEP_FORM_##domain(name, Y) ZC_STEP_FORM_##domain(name, Z)                       \
        ZC_STEP_FORM_##domain(name, X_UNIFORM)

#define ZC_STEP_ROW_ANY(op, name, arity)    [op] = {ZC_STEP_FORMS_##arity(ANY, name)},
#define ZC_STEP_ROW_NUMBER(op, name, arity) [op] = {ZC_STEP_FORMS_##arity(NUMBER, name)},
#define ZC_STEP_ROW_BITS(op, name, arity)   [op] = {ZC_STEP_FORMS_##arity(BITS, name)},
#define ZC_STEP_ROW_FLOAT(op, name, arity)  [op] = {ZC_STEP_FORMS_##arity(FLOAT, name)},
#define ZC_STEP_ROW_FORMAT(op, name, arity) [op] = {ZC_STEP_FORMS_##arity(FORMAT, name)},
#define ZC_STEP_ROW_ANGLE(op, name, arity)
#define ZC_STEP_ROW_TRUTH(op, name, arity)
#define ZC_STEP_ROW_SELECT(op, name, arity)

#define ZC_MULTIPLY_ADD_ROW(factor)                                                                                    \
    [ZC_FACTOR_##                                                                                                      \
        factor] = {{ZC_STEP_INTEGERS(multiply_add, factor), ZC_STEP_FLOATS(multiply_add, factor)},                     \
                   {ZC_STEP_INTEGERS(multiply_add_uniform, factor), ZC_STEP_FLOATS(multiply_add_uniform, factor)}},

#define ZC_STEP_OF_SAME(row) row
#define ZC_STEP_OF_BOOL(row)

#endif
