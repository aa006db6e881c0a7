/* Floating-point environments of hosts: what they are called, how they are entered and left, and what is set. */
#ifndef ZC_TESTS_SUPPORT_HOST_FLOATS_H
#define ZC_TESTS_SUPPORT_HOST_FLOATS_H

#include <fenv.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct environment {
    const char *name;
    int rounding;
    bool flushes, ignores; /* subnormal results; subnormal operands (x86 alone tells them apart) */
    bool traps;            /* what is invalid, infinite, too small or inexact ends the process */
} environment;

static const environment hosts[] = {
    {.name = "the default", .rounding = FE_TONEAREST},
    {.name = "upward", .rounding = FE_UPWARD},
    {.name = "downward", .rounding = FE_DOWNWARD},
    {.name = "toward zero", .rounding = FE_TOWARDZERO},
    {.name = "flush to zero", .rounding = FE_TONEAREST, .flushes = true},
    {.name = "denormals are zero", .rounding = FE_TONEAREST, .ignores = true},
    {.name = "flushes upward", .rounding = FE_UPWARD, .flushes = true, .ignores = true},
    {.name = "flushes downward", .rounding = FE_DOWNWARD, .flushes = true, .ignores = true},
    {.name = "flushes toward zero", .rounding = FE_TOWARDZERO, .flushes = true, .ignores = true},
    {.name = "traps", .rounding = FE_TONEAREST, .traps = true},
};

enum { HOSTS = sizeof hosts / sizeof *hosts };

#if defined(__SSE2__)
typedef uint32_t settings;

static inline settings get(void)
{
    uint32_t bits;
    __asm__ volatile("stmxcsr %0" : "=m"(bits) : : "memory");
    return bits;
}

static inline void set_flushing(const environment *e)
{
    enum { FLUSH = 1 << 15, IGNORE = 1 << 6, MASKED = 0x3f << 7 };
    uint32_t bits = get() | (e->flushes ? FLUSH : 0) | (e->ignores ? IGNORE : 0);
    bits &= e->traps ? ~(uint32_t)MASKED : ~UINT32_C(0);
    __asm__ volatile("ldmxcsr %0" : : "m"(bits) : "memory");
}
#elif defined(__aarch64__)
typedef uint64_t settings;

static inline settings get(void)
{
    uint64_t control, flags;
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(control), "=r"(flags) : : "memory");
    return control << 32 | flags;
}

static inline void set_flushing(const environment *e)
{
    if (e->flushes || e->ignores)
        __asm__ volatile("msr fpcr, %0" : : "r"((get() >> 32) | UINT64_C(1) << 24) : "memory");
}
#else
typedef int settings;

static inline settings get(void)
{
    return fegetround() * 1000 + fetestexcept(FE_ALL_EXCEPT);
}

static inline void set_flushing(const environment *e)
{
    (void)e;
}
#endif

/* Beside the settings a flag, which is the host's, too. */
static inline settings enter(const environment *e)
{
    (void)fesetround(e->rounding);
    (void)feclearexcept(FE_ALL_EXCEPT);
    (void)feraiseexcept(FE_UNDERFLOW);
    set_flushing(e);
    return get();
}

static inline void leave(void)
{
    (void)fesetenv(FE_DFL_ENV);
}

#endif
