/*
 * The environment that floats are computed in: to nearest, subnormals kept, nothing traps. The process may have set
 * another one, or a library that it loaded; then products of ours would have other bits, and others again in threads.
 *
 * Invariant: a call that computes, or rounds a number that it records, begins with ZC_DEFAULT_FLOATS(). The host's
 * environment and its flags come back wherever the call returns. Threads of ours set the default once.
 */
#ifndef ZC_RUNTIME_DTYPES_FLOAT_ENVIRONMENT_H
#define ZC_RUNTIME_DTYPES_FLOAT_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

#if (defined(__x86_64__) || defined(__i386__)) && defined(__SSE2__)

/* The x87, too: it converts int64 on 32-bit machines, and the C library prints in its rounding. */
typedef struct {
    uint32_t vectors;
    uint16_t x87;
} zc_float_environment;

enum { ZC_USUAL_VECTORS = 0x1f80, ZC_USUAL_X87 = 0x37f, ZC_VECTOR_FLAGS = 0x3f };

/* Leaves flags as they are: a write of the register waits for all that computes, and costs 30 ns. */
static inline zc_float_environment zc_float_environment_begin(void)
{
    static const zc_float_environment usual = {.vectors = ZC_USUAL_VECTORS, .x87 = ZC_USUAL_X87};
    zc_float_environment host;
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(host.vectors), "=m"(host.x87) : : "memory");
    if ((host.vectors & ~(uint32_t)ZC_VECTOR_FLAGS) != usual.vectors)
        __asm__ volatile("ldmxcsr %0" : : "m"(usual.vectors) : "memory");
    if (host.x87 != usual.x87) /* LCOV_EXCL_BR_LINE: one of both in most processes */
        __asm__ volatile("fldcw %0" : : "m"(usual.x87) : "memory");
    return host;
}

/* Reads the vectors' word alone, which is quick: a function of the host's that sets another environment while the call
 * runs sets it in both words. */
static inline void zc_float_environment_end(const zc_float_environment *host)
{
    uint32_t vectors;
    __asm__ volatile("stmxcsr %0" : "=m"(vectors) : : "memory");
    const bool is_changed = (vectors & ~(uint32_t)ZC_VECTOR_FLAGS) != ZC_USUAL_VECTORS;
    if (vectors != host->vectors)
        __asm__ volatile("ldmxcsr %0" : : "m"(host->vectors) : "memory");
    if (is_changed || host->x87 != ZC_USUAL_X87) /* LCOV_EXCL_BR_LINE: one of both in most processes */
        __asm__ volatile("fldcw %0" : : "m"(host->x87) : "memory");
}

#elif defined(__aarch64__)

typedef struct {
    uint64_t control, flags;
} zc_float_environment;

static inline zc_float_environment zc_float_environment_begin(void)
{
    zc_float_environment host;
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(host.control), "=r"(host.flags) : : "memory");
    if (host.control != 0)
        __asm__ volatile("msr fpcr, %0" : : "r"(UINT64_C(0)) : "memory");
    return host;
}

static inline void zc_float_environment_end(const zc_float_environment *host)
{
    if (host->control != 0)
        __asm__ volatile("msr fpcr, %0" : : "r"(host->control) : "memory");
    __asm__ volatile("msr fpsr, %0" : : "r"(host->flags) : "memory");
}

#else
#include <fenv.h>

typedef fenv_t zc_float_environment;

static inline zc_float_environment zc_float_environment_begin(void)
{
    zc_float_environment host;
    (void)fegetenv(&host);
    (void)fesetenv(FE_DFL_ENV);
    __asm__ volatile("" : : : "memory");
    return host;
}

static inline void zc_float_environment_end(const zc_float_environment *host)
{
    __asm__ volatile("" : : : "memory");
    (void)fesetenv(host);
}

#endif

/* The default environment until the block ends. Numbers that are computed here from memory, or behind a call, are
 * computed in it; an argument that is in a register goes through zc_float_argument(). */
#if !defined(ZC_DEFAULT_FLOATS) /* gcc's analyser forgets what it knows at an asm statement, so it gets none */
#define ZC_DEFAULT_FLOATS()                                                                                            \
    const zc_float_environment host_floats __attribute__((cleanup(zc_float_environment_end), unused)) =                \
        zc_float_environment_begin()
#endif

static inline double zc_float_argument(double value)
{
    __asm__ volatile("" : "+m"(value) : : "memory");
    return value;
}

#endif
