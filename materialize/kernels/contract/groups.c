/* Integers of 32 bits as pairs of 16 and as fours of 8, for the kernels of contractions that multiply these. Whole
 * vectors at a time. */
#include <string.h>

#include "materialize/kernels/contract/contract.h"
#include "materialize/kernels/templates/emit.h"

enum { FOUR = 4, BYTE_BITS = 8 };

int ZC_KERNEL_OF_ALL(fit)(const void *integers, int64_t n)
{
    const uint32_t *from = integers;
    uint32_t halves = 0, bytes = 0, signless = 0;
    ZC_PARALLEL for (int64_t i = 0; i < n; i++)
    {
        halves |= from[i] + 0x8000;
        bytes |= from[i] + 0x80;
        signless |= from[i];
    }
    return (halves <= UINT16_MAX ? ZC_FIT_INT16 : 0) | (bytes <= UINT8_MAX ? ZC_FIT_INT8 : 0) |
           (signless <= UINT8_MAX ? ZC_FIT_UINT8 : 0);
}

/* Both are read before anything behind them is written, so the result may begin where a row does, or before. */
static void pair_row(uint32_t *to, const uint32_t *from, int64_t length, int64_t half)
{
    ZC_PARALLEL for (int64_t i = 0; i < length - half; i++) to[i] = (from[i] & UINT16_MAX) | from[half + i] << 16;
    ZC_PARALLEL for (int64_t i = length - half; i < half; i++) to[i] = from[i] & UINT16_MAX;
}

void ZC_KERNEL_OF_ALL(pair)(const zc_integer_groups *p)
{
    uint32_t *integers = p->integers;
    for (int64_t r = 0; r < p->rows; r++)
        pair_row(integers + r * p->groups, integers + r * p->length, p->length, p->groups);
}

/* From the last row on, which moves furthest. */
void ZC_KERNEL_OF_ALL(part)(const zc_integer_groups *p)
{
    uint32_t row[ZC_CHAIN], *integers = p->integers;
    for (int64_t r = p->rows - 1; r >= 0; r--) {
        uint32_t *to = integers + r * p->length;
        memcpy(row, integers + r * p->groups, (size_t)p->groups * sizeof *row);
        ZC_PARALLEL for (int64_t i = 0; i < p->groups; i++) to[i] = (uint32_t)(int16_t)row[i];
        ZC_PARALLEL for (int64_t i = p->groups; i < p->length; i++) to[i] =
            (uint32_t)((int32_t)row[i - p->groups] >> 16);
    }
}

/* The highest bit of each byte, where it is flipped. */
static uint32_t flips(const zc_integer_groups *p)
{
    return p->are_flipped ? ZC_FLIPPED_BITS : 0;
}

/* Fours of a row, from `first` on, that have `count` integers. */
static inline __attribute__((always_inline)) int64_t four_some(const zc_integer_groups *p, int64_t row, int64_t first,
                                                               const int count)
{
    uint32_t *to = (uint32_t *)p->integers + row * p->groups;
    const uint32_t *from = (const uint32_t *)p->integers + row * p->length, flip = flips(p);
    const int64_t quarter = p->groups, present = p->length - (count - 1) * quarter;
    const int64_t end = present < quarter ? present : quarter;
    if (end <= first)
        return first;
    ZC_PARALLEL for (int64_t i = first; i < end; i++)
    {
        uint32_t four = 0;
        for (int b = 0; b < count; b++)
            four |= (from[i + b * quarter] & UINT8_MAX) << (b * BYTE_BITS);
        to[i] = four ^ flip;
    }
    return end;
}

void ZC_KERNEL_OF_ALL(four)(const zc_integer_groups *p)
{
    for (int64_t r = 0; r < p->rows; r++) {
        int64_t done = four_some(p, r, 0, FOUR);
        done = four_some(p, r, done, 3);
        done = four_some(p, r, done, 2);
        (void)four_some(p, r, done, 1);
    }
}

void ZC_KERNEL_OF_ALL(flip)(const zc_integer_groups *p)
{
    uint32_t *fours = p->integers;
    const int64_t n = p->rows * p->groups;
    ZC_PARALLEL for (int64_t i = 0; i < n; i++) fours[i] ^= ZC_FLIPPED_BITS;
}

void ZC_KERNEL_OF_ALL(part_fours)(const zc_integer_groups *p)
{
    uint32_t row[ZC_CHAIN], *integers = p->integers;
    const uint32_t flip = flips(p), sign = p->are_signed ? 0x80 : 0;
    for (int64_t r = p->rows - 1; r >= 0; r--) {
        memcpy(row, integers + r * p->groups, (size_t)p->groups * sizeof *row);
        for (int b = 0; b < FOUR; b++) {
            uint32_t *to = integers + r * p->length + b * p->groups;
            const int64_t rest = p->length - b * p->groups, n = rest < p->groups ? rest : p->groups;
            ZC_PARALLEL for (int64_t i = 0; i < n; i++) to[i] =
                ((((row[i] ^ flip) >> (b * BYTE_BITS)) & UINT8_MAX) ^ sign) - sign;
        }
    }
}
