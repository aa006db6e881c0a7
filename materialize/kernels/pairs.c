/* Integers of 32 bits as pairs of 16, for the kernels of contractions that multiply pairs. Whole vectors at a time. */
#include <string.h>

#include "materialize/kernels/templates/emit.h"

bool ZC_KERNEL_OF_ALL(fit)(const void *integers, int64_t n)
{
    const uint32_t *from = integers;
    uint32_t bits = 0;
    ZC_PARALLEL for (int64_t i = 0; i < n; i++) bits |= from[i] + 0x8000;
    return bits <= UINT16_MAX;
}

/* Both are read before anything behind them is written, so the result may begin where a row does, or before. */
static void pair_row(uint32_t *to, const uint32_t *from, int64_t length, int64_t half)
{
    ZC_PARALLEL for (int64_t i = 0; i < length - half; i++) to[i] = (from[i] & UINT16_MAX) | from[half + i] << 16;
    ZC_PARALLEL for (int64_t i = length - half; i < half; i++) to[i] = from[i] & UINT16_MAX;
}

void ZC_KERNEL_OF_ALL(pair)(const zc_paired *p)
{
    uint32_t *integers = p->integers;
    for (int64_t r = 0; r < p->rows; r++)
        pair_row(integers + r * p->half, integers + r * p->length, p->length, p->half);
}

/* From the last row on, which moves furthest. */
void ZC_KERNEL_OF_ALL(part)(const zc_paired *p)
{
    uint32_t row[ZC_CHAIN], *integers = p->integers;
    for (int64_t r = p->rows - 1; r >= 0; r--) {
        uint32_t *to = integers + r * p->length;
        memcpy(row, integers + r * p->half, (size_t)p->half * sizeof *row);
        ZC_PARALLEL for (int64_t i = 0; i < p->half; i++) to[i] = (uint32_t)(int16_t)row[i];
        ZC_PARALLEL for (int64_t i = p->half; i < p->length; i++) to[i] = (uint32_t)((int32_t)row[i - p->half] >> 16);
    }
}
