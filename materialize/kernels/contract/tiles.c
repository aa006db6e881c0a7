/*
 * Products of bytes by registers of tiles (AMX): eight registers of 16 rows of 64 bytes. An instruction multiplies the
 * fours of a tile of x with those of a tile of y and adds 16 * 16 * 64 products to a tile of integers of 32 bits, which
 * wrap. Four tiles of sums are two of x by two of y.
 */
#include "materialize/kernels/contract/contract.h"
#include "materialize/kernels/templates/emit.h"

#if defined(ZC_HAS_TILES)
#include <string.h>

/* LCOV_EXCL_START: the machine decides */
enum { TILE_ROWS = ZC_TILE_SIDE / 2, TILE_BYTES = TILE_ROWS * ZC_TILE_PRODUCTS, FOUR = 4 };

/* Sizes of the registers, as an instruction reads them. */
typedef struct shapes {
    uint8_t palette, first, unused[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
} shapes;

/* Takes all eight registers. Until they are given up, whoever takes the processor over saves them. */
static void take_registers(void)
{
    enum { REGISTERS = 8 };
    shapes all = {.palette = 1};
    for (int i = 0; i < REGISTERS; i++) {
        all.row_bytes[i] = ZC_TILE_PRODUCTS;
        all.rows[i] = TILE_ROWS;
    }
    __asm__ volatile("ldtilecfg %0" : : "m"(all));
}

/* Loads the factors of a step: tiles 4 and 5 are rows of x, 6 and 7 columns of y. */
static inline void load(const char *x, int64_t row, const char *y, int64_t half)
{
    const int64_t pitch = ZC_TILE_PRODUCTS;
    __asm__ volatile("tileloadd (%0,%4,1), %%tmm4\n\ttileloadd (%2,%5,1), %%tmm6\n\t"
                     "tileloadd (%3,%5,1), %%tmm7\n\ttileloadd (%1,%4,1), %%tmm5"
                     :
                     : "r"(x), "r"(x + TILE_ROWS * row), "r"(y), "r"(y + half), "r"(row), "r"(pitch)
                     : "memory");
}

/* Adds their products. */
#define ZC_DEFINE_ADD(name, instruction)                                                                               \
    static inline void name(void)                                                                                      \
    {                                                                                                                  \
        __asm__ volatile(instruction " %tmm6, %tmm4, %tmm0\n\t" instruction " %tmm7, %tmm4, %tmm1\n\t" instruction     \
                                     " %tmm6, %tmm5, %tmm2\n\t" instruction " %tmm7, %tmm5, %tmm3");                   \
    }
ZC_DEFINE_ADD(add_signed_by_signed, "tdpbssd")
ZC_DEFINE_ADD(add_signed_by_signless, "tdpbsud")
ZC_DEFINE_ADD(add_signless_by_signed, "tdpbusd")
ZC_DEFINE_ADD(add_signless, "tdpbuud")

/* Sums of two tiles of rows, from those that are there on or from 0. */
static void begin(const char *sums, int64_t pitch, bool adds)
{
    if (adds)
        __asm__ volatile("tileloadd (%0,%2,1), %%tmm0\n\ttileloadd 64(%0,%2,1), %%tmm1\n\t"
                         "tileloadd (%1,%2,1), %%tmm2\n\ttileloadd 64(%1,%2,1), %%tmm3"
                         :
                         : "r"(sums), "r"(sums + TILE_ROWS * pitch), "r"(pitch)
                         : "memory");
    else
        __asm__ volatile("tilezero %tmm0\n\ttilezero %tmm1\n\ttilezero %tmm2\n\ttilezero %tmm3");
}

static void end(char *sums, int64_t pitch)
{
    __asm__ volatile("tilestored %%tmm0, (%0,%2,1)\n\ttilestored %%tmm1, 64(%0,%2,1)\n\t"
                     "tilestored %%tmm2, (%1,%2,1)\n\ttilestored %%tmm3, 64(%1,%2,1)"
                     :
                     : "r"(sums), "r"(sums + TILE_ROWS * pitch), "r"(pitch)
                     : "memory");
}

void ZC_KERNEL_OF_ALL(tiles)(const zc_byte_tiles *t)
{
    const int64_t pitch = t->sums_row * (int64_t)sizeof(uint32_t), half = t->steps * TILE_BYTES;
    const int64_t x_row = t->x_row, x_step = t->x_step;
    take_registers();
    for (int64_t r = 0; r < t->rows; r += ZC_TILE_SIDE) {
        char *sums = (char *)t->sums + r * pitch;
        const char *x = (const char *)t->x + r * x_row, *y = t->y;
        begin(sums, pitch, t->adds);
        for (int64_t s = 0; s < t->steps; s++, x += x_step, y += TILE_BYTES) {
            load(x, x_row, y, half);
            if (t->x_is_signed && t->y_is_signed)
                add_signed_by_signed();
            else if (t->x_is_signed)
                add_signed_by_signless();
            else if (t->y_is_signed)
                add_signless_by_signed();
            else
                add_signless();
        }
        end(sums, pitch);
    }
    __asm__ volatile("tilerelease");
}

typedef uint8_t bytes __attribute__((vector_size(TILE_ROWS)));
typedef uint16_t pairs __attribute__((vector_size(TILE_ROWS)));

#define ZC_LOW_BYTES  0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define ZC_HIGH_BYTES 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define ZC_LOW_PAIRS  0, 8, 1, 9, 2, 10, 3, 11
#define ZC_HIGH_PAIRS 4, 12, 5, 13, 6, 14, 7, 15

/* Four rows of 16 columns become 16 fours. */
static void make_fours(const char *from, int64_t row, char *to)
{
    bytes r[FOUR];
    for (int i = 0; i < FOUR; i++)
        memcpy(&r[i], from + i * row, sizeof *r);
    const pairs low_01 = (pairs)ZC_SHUFFLE(int8_t, r[0], r[1], ZC_LOW_BYTES);
    const pairs high_01 = (pairs)ZC_SHUFFLE(int8_t, r[0], r[1], ZC_HIGH_BYTES);
    const pairs low_23 = (pairs)ZC_SHUFFLE(int8_t, r[2], r[3], ZC_LOW_BYTES);
    const pairs high_23 = (pairs)ZC_SHUFFLE(int8_t, r[2], r[3], ZC_HIGH_BYTES);
    const pairs fours[FOUR] = {
        ZC_SHUFFLE(int16_t, low_01, low_23, ZC_LOW_PAIRS), ZC_SHUFFLE(int16_t, low_01, low_23, ZC_HIGH_PAIRS),
        ZC_SHUFFLE(int16_t, high_01, high_23, ZC_LOW_PAIRS), ZC_SHUFFLE(int16_t, high_01, high_23, ZC_HIGH_PAIRS)};
    memcpy(to, fours, sizeof fours);
}

void ZC_KERNEL_OF_ALL(interleave_tiles)(const void *from, int64_t row, void *to, int64_t half)
{
    for (int64_t k = 0; k < ZC_TILE_PRODUCTS; k += FOUR) {
        const char *rows = (const char *)from + k * row;
        char *fours = (char *)to + k * TILE_ROWS;
        make_fours(rows, row, fours);
        make_fours(rows + TILE_ROWS, row, fours + half);
    }
}
/* LCOV_EXCL_STOP */
#endif
