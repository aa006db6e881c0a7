#include "materialize/kernels/tables/dispatch.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "materialize/kernels/arch.h"

#define ZC_KERNEL_TABLE(name, is_supported)                                                                            \
    static bool supports_##name(void)                                                                                  \
    {                                                                                                                  \
        return is_supported;                                                                                           \
    }
#include "materialize/kernels/tables/tables.def"
#undef ZC_KERNEL_TABLE

#define ZC_KERNEL_TABLE(name, is_supported) {&zc_kernels_##name, supports_##name},
const zc_kernel_table zc_kernel_tables[ZC_KERNEL_TABLES] = {
#include "materialize/kernels/tables/tables.def"
};
#undef ZC_KERNEL_TABLE

static const zc_kernels *choose(void)
{
    const zc_kernel_table *table = zc_kernel_tables;
    while (!table->is_supported()) /* LCOV_EXCL_BR_LINE: the machine decides */
        table++;                   /* LCOV_EXCL_LINE: likewise */
    return table->kernels;
}

const zc_kernels *zc_kernels_best(void)
{
    static const zc_kernels *_Atomic best;
    const zc_kernels *known = atomic_load_explicit(&best, memory_order_acquire);
    if (known == NULL) {
        known = choose(); /* the same for every thread, so a race writes the same value twice */
        atomic_store_explicit(&best, known, memory_order_release);
    }
    return known;
}

zc_contract_kernel *zc_kernels_pairs(const zc_kernels *kernels)
{
    const zc_integer_kernels *groups = &kernels->groups;
    return groups->pairs_in_one != NULL && zc_has_pairs_in_one() ? groups->pairs_in_one
                                                                 : groups->pairs; /* LCOV_EXCL_BR_LINE: likewise */
}

zc_contract_kernel *const *zc_kernels_fours(const zc_kernels *kernels)
{
    const zc_integer_kernels *groups = &kernels->groups;
    return groups->fours[0] != NULL && zc_has_fours() ? groups->fours : NULL; /* LCOV_EXCL_BR_LINE: likewise */
}

/* Asks once: 0 is not asked yet. */
static bool may_use_tiles(void)
{
    enum { YES = 1, NO = 2 };
    static _Atomic int known;
    int answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (answer == 0) {
        const char *wanted = getenv("ZEROCAST_TILES");
        const bool is_refused = wanted != NULL && strcmp(wanted, "0") == 0; /* LCOV_EXCL_BR_LINE: asked once */
        const int found = !is_refused && zc_has_tiles() ? YES : NO;         /* LCOV_EXCL_BR_LINE: likewise */
        /* Another thread's answer, found meanwhile, holds for all. */
        if (atomic_compare_exchange_strong(&known, &answer, found)) /* LCOV_EXCL_BR_LINE: up to chance */
            answer = found;
    }
    return answer == YES;
}

const zc_tile_kernels *zc_kernels_tiles(const zc_kernels *kernels)
{
    const bool are_there = kernels->tiles.multiply != NULL && may_use_tiles(); /* LCOV_EXCL_BR_LINE: likewise */
    return are_there ? &kernels->tiles : NULL;                                 /* LCOV_EXCL_BR_LINE: likewise */
}

bool zc_kernels_ask_ahead(void)
{
    return zc_reads_few_streams();
}

/* LOWEST and HIGHEST in reductions.def. */
#define LOWEST  (-INFINITY)
#define HIGHEST (INFINITY)

zc_scalar zc_reduction_padding(zc_reduction reduction, zc_dtype dtype)
{
    static const double paddings[ZC_REDUCTION_COUNT] = {
#define ZC_REDUCTION(NAME, name, combine, padding, accumulator, empty, invariant) [ZC_REDUCTION_##NAME] = (padding),
#include "runtime/ops/reductions.def"
#undef ZC_REDUCTION
    };
    /* Conversion saturates, so an infinity is the extreme of an integer dtype. */
    double padding = paddings[reduction];
    if (dtype == ZC_BOOL && padding < 0)
        padding = 0;
    /* A sum keeps the sign of zeros in both parts. */
    zc_scalar both = {.complex128 = {padding, padding == 0 ? padding : 0}};
    if (zc_dtype_is_complex(dtype))
        return zc_scalar_convert(both, ZC_COMPLEX128, dtype);
    return zc_scalar_convert((zc_scalar){.float64 = padding}, ZC_FLOAT64, dtype);
}
