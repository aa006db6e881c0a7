/* The chains of one instruction set: the steps that ask for no dtype, running a chain, and the table of all steps. */
#include <string.h>

#include "materialize/kernels/elements/elements.h"
#include "materialize/kernels/templates/chain_emit.h"

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

#define ZC_REGISTER_STREAM(i, v) zc_stream_vector(bytes + (i)*ZC_VECTOR_BYTES, v);

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
    zc_end_vectors(); /* steps end without */
}

/* ---- The table ---- */

#define ZC_STEP(NAME, dtype, f)             [ZC_##NAME] = (zc_chain_function)ZC_KERNEL_OF(step_##f, dtype),
#define ZC_STEPS(form, arity, domain, name) [ZC_CHAIN_##form] = {ZC_EACH_CHAINED_IN(domain, ZC_STEP, name##_##form)},
#define ZC_MULTIPLY_ADDS(form)                                                                                         \
    [ZC_FACTOR_##form] = {{ZC_EACH_CHAINED_IN(SIGNLESS, ZC_STEP, multiply_add_##form)},                                \
                          {ZC_EACH_CHAINED_IN(SIGNLESS, ZC_STEP, multiply_add_uniform_##form)}},

const zc_chain_kernels ZC_KERNEL_OF_ALL(chains) = {
    .tile_bytes = ZC_TILE_BYTES,
    .step =
        {
#define ZC_OP(NAME, name, arity, domain, result, complex, cost, gradient, sign, meaning)                               \
    ZC_IF(ZC_ROW_IS_STEP(domain, result, cost), [ZC_OP_##NAME] = {ZC_EACH_FORM_##arity(ZC_STEPS, domain, name)}, )
#include "runtime/ops/ops.def"
#undef ZC_OP
        },
    .multiply_add = {ZC_MULTIPLY_ADDS(MEMORY) ZC_MULTIPLY_ADDS(UNIFORM) ZC_MULTIPLY_ADDS(SELF)},
    .load = (zc_chain_function)step_load,
    .store = (zc_chain_function)step_store,
    .stream = (zc_chain_function)step_stream,
    .end = (zc_chain_function)step_end,
    .run = run_chain,
};
