/* The kernels of contractions: blocks of sums that stay in vector registers for the length of a chain. */
#include <string.h>

#include "materialize/kernels/contract/contract.h"
#include "materialize/kernels/templates/emit.h"
#include "materialize/kernels/templates/lanes.h"
#include "math/floats/fused.h"

/* Not to be copied into its callers, and, of rows whose number is known, unrolled. */
#define ZC_INTO_CALLER static inline __attribute__((always_inline))
#define ZC_UNROLL      _Pragma("GCC unroll 16")

/* One element in all lanes. Subtracting zero leaves the sign of a zero as it is. */
#define ZC_SPLAT(x, type) ((x) - (type){0})

#if defined(ZC_VECTOR_BYTES)
#define ZC_FUSE_float32(x, y, z)      zc_fuse_float32(x, y, z)
#define ZC_FUSE_float64(x, y, z)      zc_fuse_float64(x, y, z)
#define ZC_FUSE_HALF_float32(x, y, z) zc_fuse_half_float32(x, y, z)
#define ZC_FUSE_HALF_float64(x, y, z) zc_fuse_half_float64(x, y, z)
#else
#define ZC_FUSE_LANES(dtype, type, name, bytes)                                                                        \
    typedef type zc_##name##_##dtype __attribute__((vector_size(bytes)));                                              \
    ZC_INTO_CALLER zc_##name##_##dtype fuse_##name##_##dtype(zc_##name##_##dtype x, zc_##name##_##dtype y,             \
                                                             zc_##name##_##dtype z)                                    \
    {                                                                                                                  \
        for (size_t i = 0; i < sizeof z / sizeof z[0]; i++)                                                            \
            z[i] = fma_##dtype(x[i], y[i], z[i]);                                                                      \
        return z;                                                                                                      \
    }
/* LCOV_EXCL_BR_START: branches of the function, copied into every sum */
ZC_FUSE_LANES(float32, float, lanes, ZC_LANE_BYTES)
ZC_FUSE_LANES(float64, double, lanes, ZC_LANE_BYTES)
ZC_FUSE_LANES(float32, float, half, ZC_LANE_BYTES / 2)
ZC_FUSE_LANES(float64, double, half, ZC_LANE_BYTES / 2)
/* LCOV_EXCL_BR_STOP */
#define ZC_FUSE_float32(x, y, z)      fuse_lanes_float32(x, y, z)
#define ZC_FUSE_float64(x, y, z)      fuse_lanes_float64(x, y, z)
#define ZC_FUSE_HALF_float32(x, y, z) fuse_half_float32(x, y, z)
#define ZC_FUSE_HALF_float64(x, y, z) fuse_half_float64(x, y, z)
#endif

/* Whole numbers in all lanes. */
typedef uint64_t zc_whole_lanes __attribute__((vector_size(ZC_LANE_BYTES)));

/* Instructions exchange elements within pieces of that size. Rows are turned in squares of which two rows are side by
 * side in a register, which takes fewer instructions than squares of twice the side. */
#define ZC_PIECE_BYTES 16
#if ZC_LANE_BYTES == 64
#define ZC_SQUARE_BYTES      32
#define ZC_SQUARES_AT_ONCE   2 /* for as many there are registers */
#define ZC_EVEN_PIECES(a, b) ZC_SHUFFLE(int64_t, a, b, 0, 1, 4, 5, 8, 9, 12, 13)
#define ZC_ODD_PIECES(a, b)  ZC_SHUFFLE(int64_t, a, b, 2, 3, 6, 7, 10, 11, 14, 15)
#else
#define ZC_SQUARE_BYTES    16
#define ZC_SQUARES_AT_ONCE 1
#endif

#if defined(ZC_VECTOR_BYTES)
#define ZC_SIDE_BY_SIDE(low, high) zc_side_by_side(low, high)
#define ZC_END_VECTORS()           zc_end_vectors()
#if ZC_LANE_BYTES == 64
#define ZC_PIECES_SIDE_BY_SIDE(a, b, c, d) zc_four_side_by_side(a, b, c, d)
#else
#define ZC_PIECES_SIDE_BY_SIDE(a, b, c, d) zc_side_by_side(a, b)
#endif
#else
static inline zc_whole_lanes read_vector(const void *from)
{
    zc_whole_lanes vector;
    memcpy(&vector, from, sizeof vector);
    return vector;
}
#define ZC_SIDE_BY_SIDE(low, high)         read_vector(low) /* a row is a register */
#define ZC_PIECES_SIDE_BY_SIDE(a, b, c, d) read_vector(a)   /* likewise */
#define ZC_END_VECTORS()                   (void)0
#endif

/* Every other lane of two vectors. */
#define ZC_EVENS(a, b, part)   ZC_JOIN(ZC_EVENS, part)(a, b)
#define ZC_ODDS(a, b, part)    ZC_JOIN(ZC_ODDS, part)(a, b)
#define ZC_EVENS_float32(a, b) ZC_SHUFFLE(int32_t, a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define ZC_ODDS_float32(a, b)  ZC_SHUFFLE(int32_t, a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)
#define ZC_EVENS_float64(a, b) ZC_SHUFFLE(int64_t, a, b, 0, 2, 4, 6, 8, 10, 12, 14)
#define ZC_ODDS_float64(a, b)  ZC_SHUFFLE(int64_t, a, b, 1, 3, 5, 7, 9, 11, 13, 15)

/* As many sums as registers hold, beside two vectors of factors and one that is spread. */
#if ZC_LANE_BYTES == 64
#define ZC_CONTRACT_MOST_ROWS 12
#else
#define ZC_CONTRACT_MOST_ROWS 6
#endif

/* Vectors of chains side by side at a time: each product waits for the one before. */
enum { ZC_VECTORS_TOGETHER = 4 };

/* A line of memory. Those asked for are fetched into the second-level cache (the builtin's 2): of a run of chains of
 * two operands the first-level cache has no room beside the one that is read. */
#define ZC_LINE_BYTES 64
#define ZC_ASKED      2

/* Lines that are a multiple of 4 KiB apart share a place of the first-level cache, which holds eight of them at least.
 */
enum { ZC_LINES_OF_A_PLACE = 8, PLACES_BYTES = 4096 };

/* Rows that are so far apart and have lines in the first-level cache at once. */
static inline int64_t rows_with_places(int64_t bytes)
{
    const int64_t apart = bytes & -bytes; /* the largest power of two that divides it */
    return apart == 0             ? PLACES_BYTES
           : apart < PLACES_BYTES ? ZC_LINES_OF_A_PLACE * (PLACES_BYTES / apart)
                                  : ZC_LINES_OF_A_PLACE;
}

/* Rows that one row is multiplied with at a time: more save few loads of sums, and need more lines of a cache whose
 * places rows share that are powers of two apart. */
#define ZC_ROWS_AT_ONCE    8
#define ZC_BATCHES_AT_ONCE 4 /* of one row: so that no addition waits for another */

/* Products of results side by side that are added at a time. */
#define ZC_PRODUCTS_AT_ONCE 4

/* Distances of the second, third and fourth of four rows from the first, in bytes: with a pointer to that, they are all
 * that is needed of them. Pointers to all rows do not fit into registers. */
enum { ROWS_TOGETHER = 4 };
typedef struct row_steps {
    intptr_t to[ROWS_TOGETHER];
} row_steps;

static inline row_steps find_steps(intptr_t bytes)
{
    row_steps steps;
    ZC_UNROLL for (int i = 0; i < ROWS_TOGETHER; i++)
    {
        steps.to[i] = i * bytes;
        if (i > 0)
            __asm__("" : "+r"(steps.to[i]));
    }
    return steps;
}

#define ZC_IS_FLOAT 1
#define ZC_D        float32
#define ZC_T        float
#define ZC_LANE     uint32_t
#include "materialize/kernels/contract/contract_tmpl.h"
#define ZC_D    float64
#define ZC_T    double
#define ZC_LANE uint64_t
#include "materialize/kernels/contract/contract_tmpl.h"
#undef ZC_IS_FLOAT

/* Signed integers wrap as unsigned ones do, so these serve both. */
#define ZC_IS_FLOAT 0
#define ZC_D        uint8
#define ZC_T        uint8_t
#include "materialize/kernels/contract/contract_tmpl.h"
#define ZC_D uint16
#define ZC_T uint16_t
#include "materialize/kernels/contract/contract_tmpl.h"
#define ZC_D uint32
#define ZC_T uint32_t
#include "materialize/kernels/contract/contract_tmpl.h"
#define ZC_D uint64
#define ZC_T uint64_t
#include "materialize/kernels/contract/contract_tmpl.h"

#if defined(ZC_VECTOR_BYTES)
#define ZC_D                      pairs
#define ZC_T                      uint32_t
#define ZC_ADD_GROUPS(x, y, sums) zc_add_pairs(x, y, sums)
#include "materialize/kernels/contract/contract_tmpl.h"
#undef ZC_ADD_GROUPS
#endif
#if defined(ZC_HAS_PAIRS_IN_ONE)
#define ZC_D                      pairs_in_one
#define ZC_T                      uint32_t
#define ZC_ADD_GROUPS(x, y, sums) zc_add_pairs_in_one(x, y, sums)
#include "materialize/kernels/contract/contract_tmpl.h"
#undef ZC_ADD_GROUPS
#endif
#if defined(ZC_HAS_FOURS)
#define ZC_ARE_FOURS
#define ZC_D                      fours
#define ZC_T                      uint32_t
#define ZC_ADD_GROUPS(x, y, sums) zc_add_fours(x, y, sums)
#include "materialize/kernels/contract/contract_tmpl.h"
#undef ZC_ADD_GROUPS
#define ZC_D                      fours_of_signed
#define ZC_T                      uint32_t
#define ZC_ADD_GROUPS(x, y, sums) zc_add_fours(y, x, sums)
#include "materialize/kernels/contract/contract_tmpl.h"
#undef ZC_ADD_GROUPS
#undef ZC_ARE_FOURS
#endif
#undef ZC_IS_FLOAT

#define ZC_D    complex64
#define ZC_PART float32
#define ZC_T    float
#define ZC_LANE uint32_t
#include "materialize/kernels/contract/complex_tmpl.h"
#define ZC_D    complex128
#define ZC_PART float64
#define ZC_T    double
#define ZC_LANE uint64_t
#include "materialize/kernels/contract/complex_tmpl.h"
