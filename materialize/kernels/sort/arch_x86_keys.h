/*
 * Registers of keys on x86, numbers with sign, WIDTH 32 or 64 bits wide. Every arch_*_keys.h has the same names:
 *
 *     ZC_LANES_32, ZC_LANES_64     how many keys a register has
 *     ZC_DIVIDE_ROOM_32, ZC_DIVIDE_ROOM_64
 *                                  the registers of memory from `left` to `right` that zc_divide_WIDTH() needs at least
 *     zc_keys_WIDTH                the register
 *     zc_smaller_WIDTH, zc_larger_WIDTH
 *                                  of two registers, lane by lane
 *     ZC_ORDERED_WIDTH             the smaller ones, but the larger ones in the lanes whose number has the bit `upper`
 *     zc_marked_WIDTH              a bit for each lane below 0, from the lowest on
 *     zc_load_first_WIDTH          the first n lanes from memory, the others from `others`; n may be 0, or all and more
 *     zc_store_first_WIDTH         the first n lanes to memory, likewise
 *     zc_divide_WIDTH              the lanes of v that are below the pivot, from `left` on; the others, up to `right`;
 *                                  anything to what else of the room is between them. How many are below
 */
#ifndef ZC_MATERIALIZE_KERNELS_SORT_ARCH_X86_KEYS_H
#define ZC_MATERIALIZE_KERNELS_SORT_ARCH_X86_KEYS_H

#include <immintrin.h>
#include <stdint.h>

typedef int32_t zc_keys_32 __attribute__((vector_size(ZC_VECTOR_BYTES)));
typedef int64_t zc_keys_64 __attribute__((vector_size(ZC_VECTOR_BYTES)));

/* A bit for each of 16 lanes that ZC_ORDERED_WIDTH calls upper: as many as `upper` are in, after as many that are not,
 * again and again. */
#define ZC_UPPER(upper) (0xffff / ((1 << (upper)) + 1) << (upper))

/* Which of eight lanes goes to each place when those in a mask are put before the others: four bits for each place, by
 * the mask. */
#define ZC_BITS(mask)      ((uint32_t)__builtin_popcount(mask))
#define ZC_BEFORE(mask, i) ZC_BITS((mask) & ((1U << (i)) - 1))
#define ZC_PLACE(mask, i)  (((mask) >> (i)&1U) != 0 ? ZC_BEFORE(mask, i) : ZC_BITS(mask) + ZC_BEFORE(~(mask), i))
#define ZC_PLACED(mask, i) ((uint32_t)(i) << 4 * ZC_PLACE(mask, i))
#define ZC_HALF(mask, i)                                                                                               \
    ZC_PLACED(mask, i) | ZC_PLACED(mask, (i) + 1) | ZC_PLACED(mask, (i) + 2) | ZC_PLACED(mask, (i) + 3)
#define ZC_ORDER(mask)     (ZC_HALF(mask, 0) | ZC_HALF(mask, 4))
#define ZC_ORDERS_4(mask)  ZC_ORDER(mask), ZC_ORDER((mask) + 1), ZC_ORDER((mask) + 2), ZC_ORDER((mask) + 3)
#define ZC_ORDERS_16(mask) ZC_ORDERS_4(mask), ZC_ORDERS_4((mask) + 4), ZC_ORDERS_4((mask) + 8), ZC_ORDERS_4((mask) + 12)
#define ZC_ORDERS_64(mask)                                                                                             \
    ZC_ORDERS_16(mask), ZC_ORDERS_16((mask) + 16), ZC_ORDERS_16((mask) + 32), ZC_ORDERS_16((mask) + 48)
static const uint32_t zc_lane_orders[256] = {ZC_ORDERS_64(0U), ZC_ORDERS_64(64U), ZC_ORDERS_64(128U),
                                             ZC_ORDERS_64(192U)};

#if defined(__AVX512F__)
#define ZC_LANES_32       16
#define ZC_LANES_64       8
#define ZC_DIVIDE_ROOM_32 1
#define ZC_DIVIDE_ROOM_64 2

typedef __mmask16 zc_lanes_32;
typedef __mmask8 zc_lanes_64;

#define ZC_KEYS_ORDER(width)                                                                                           \
    static inline zc_keys_##width zc_smaller_##width(zc_keys_##width a, zc_keys_##width b)                             \
    {                                                                                                                  \
        return (zc_keys_##width)_mm512_min_epi##width((__m512i)a, (__m512i)b);                                         \
    }                                                                                                                  \
    static inline zc_keys_##width zc_larger_##width(zc_keys_##width a, zc_keys_##width b)                              \
    {                                                                                                                  \
        return (zc_keys_##width)_mm512_max_epi##width((__m512i)a, (__m512i)b);                                         \
    }
/* Compilers, which are told of lanes, would shuffle them. */
#define ZC_ORDERED(width, a, b, upper)                                                                                 \
    ((zc_keys_##width)_mm512_mask_max_epi##width((__m512i)zc_smaller_##width(a, b), (zc_lanes_##width)ZC_UPPER(upper), \
                                                 (__m512i)(a), (__m512i)(b)))
#define ZC_ORDERED_32(a, b, upper) ZC_ORDERED(32, a, b, upper)
#define ZC_ORDERED_64(a, b, upper) ZC_ORDERED(64, a, b, upper)
#define ZC_KEYS_FIRST(width)                                                                                           \
    static inline zc_lanes_##width zc_first_##width(int64_t n)                                                         \
    {                                                                                                                  \
        return (zc_lanes_##width)(n >= ZC_LANES_##width ? -1 : n <= 0 ? 0 : (1 << n) - 1);                             \
    }
#define ZC_KEYS_MARKED(width)                                                                                          \
    static inline uint32_t zc_marked_##width(zc_keys_##width v)                                                        \
    {                                                                                                                  \
        return _mm512_movepi##width##_mask((__m512i)v);                                                                \
    }
#define ZC_KEYS_SOME(width)                                                                                            \
    static inline zc_keys_##width zc_load_first_##width(const int##width##_t *from, int64_t n, zc_keys_##width others) \
    {                                                                                                                  \
        return (zc_keys_##width)_mm512_mask_loadu_epi##width((__m512i)others, zc_first_##width(n), from);              \
    }                                                                                                                  \
    static inline void zc_store_first_##width(int##width##_t *to, int64_t n, zc_keys_##width v)                        \
    {                                                                                                                  \
        _mm512_mask_storeu_epi##width(to, zc_first_##width(n), (__m512i)v);                                            \
    }
#define ZC_KEYS(width) ZC_KEYS_ORDER(width) ZC_KEYS_FIRST(width) ZC_KEYS_MARKED(width) ZC_KEYS_SOME(width)
ZC_KEYS(32)
ZC_KEYS(64)

/* The lanes of the mask side by side. Spelt out: where an instruction clears the other lanes instead of keeping zeros,
 * a Zen 5 makes it wait for what its result's register held before. */
static inline __m512i zc_compress(zc_keys_32 v, __mmask16 mask)
{
    __m512i out = _mm512_setzero_si512();
    __asm__("vpcompressd %1, %0 %{%2%}" : "+v"(out) : "v"(v), "Yk"(mask));
    return out;
}

/* A whole register to the left, where the rest is written over later; a mask takes longer, and most of all where it is
 * empty and the memory not there, as behind the end of a line. */
static inline int zc_divide_32(int32_t *left, int32_t *right, zc_keys_32 v, zc_keys_32 pivot)
{
    const __mmask16 below = _mm512_cmplt_epi32_mask((__m512i)v, (__m512i)pivot), others = (__mmask16)~below;
    const int n = __builtin_popcount(below), above = ZC_LANES_32 - n;
    _mm512_storeu_si512(left, zc_compress(v, below));
    _mm512_mask_storeu_epi32(above != 0 ? right - above : left, (__mmask16)((1U << above) - 1), zc_compress(v, others));
    return n;
}

/* One register to both ends. */
static inline int zc_divide_64(int64_t *left, int64_t *right, zc_keys_64 v, zc_keys_64 pivot)
{
    const __mmask8 below = _mm512_cmplt_epi64_mask((__m512i)v, (__m512i)pivot);
    const zc_keys_64 order = zc_lane_orders[below] >> (zc_keys_64){0, 4, 8, 12, 16, 20, 24, 28};
    const __m512i moved = _mm512_permutexvar_epi64((__m512i)order, (__m512i)v);
    _mm512_storeu_si512(left, moved);
    _mm512_storeu_si512(right - ZC_LANES_64, moved);
    return __builtin_popcount(below);
}

#else
#define ZC_LANES_32       8
#define ZC_LANES_64       4
#define ZC_DIVIDE_ROOM_32 2
#define ZC_DIVIDE_ROOM_64 2

static inline zc_keys_32 zc_smaller_32(zc_keys_32 a, zc_keys_32 b)
{
    return (zc_keys_32)_mm256_min_epi32((__m256i)a, (__m256i)b);
}

static inline zc_keys_32 zc_larger_32(zc_keys_32 a, zc_keys_32 b)
{
    return (zc_keys_32)_mm256_max_epi32((__m256i)a, (__m256i)b);
}

static inline zc_keys_64 zc_smaller_64(zc_keys_64 a, zc_keys_64 b)
{
    return (zc_keys_64)_mm256_blendv_epi8((__m256i)a, (__m256i)b, (__m256i)(a > b));
}

static inline zc_keys_64 zc_larger_64(zc_keys_64 a, zc_keys_64 b)
{
    return (zc_keys_64)_mm256_blendv_epi8((__m256i)b, (__m256i)a, (__m256i)(a > b));
}

#define ZC_ORDERED_32(a, b, upper)                                                                                     \
    ((zc_keys_32)_mm256_blend_epi32((__m256i)zc_smaller_32(a, b), (__m256i)zc_larger_32(a, b), ZC_UPPER(upper) & 0xff))
#define ZC_ORDERED_64(a, b, upper) zc_ordered_64(a, b, (zc_keys_64){0, -((upper)&1), -((upper) >> 1), -1})

/* Lanes of `upper` are all bits or none. */
static inline zc_keys_64 zc_ordered_64(zc_keys_64 a, zc_keys_64 b, zc_keys_64 upper)
{
    return (zc_keys_64)_mm256_blendv_epi8((__m256i)a, (__m256i)b, (__m256i)((a > b) ^ upper));
}

static inline uint32_t zc_marked_32(zc_keys_32 v)
{
    return (uint32_t)_mm256_movemask_ps((__m256)v);
}

static inline uint32_t zc_marked_64(zc_keys_64 v)
{
    return (uint32_t)_mm256_movemask_pd((__m256d)v);
}

/* All bits of the first n lanes. */
static inline __m256i zc_first_32(int64_t n)
{
    return (__m256i)((zc_keys_32){0, 1, 2, 3, 4, 5, 6, 7} < (int32_t)(n < ZC_LANES_32 ? n : ZC_LANES_32));
}

static inline __m256i zc_first_64(int64_t n)
{
    return (__m256i)((zc_keys_64){0, 1, 2, 3} < n);
}

static inline zc_keys_32 zc_load_first_32(const int32_t *from, int64_t n, zc_keys_32 others)
{
    const __m256i first = zc_first_32(n);
    return (zc_keys_32)_mm256_blendv_epi8((__m256i)others, _mm256_maskload_epi32(from, first), first);
}

static inline zc_keys_64 zc_load_first_64(const int64_t *from, int64_t n, zc_keys_64 others)
{
    const __m256i first = zc_first_64(n);
    return (zc_keys_64)_mm256_blendv_epi8((__m256i)others, _mm256_maskload_epi64((const void *)from, first), first);
}

static inline void zc_store_first_32(int32_t *to, int64_t n, zc_keys_32 v)
{
    _mm256_maskstore_epi32(to, zc_first_32(n), (__m256i)v);
}

static inline void zc_store_first_64(int64_t *to, int64_t n, zc_keys_64 v)
{
    _mm256_maskstore_epi64((void *)to, zc_first_64(n), (__m256i)v);
}

/* Lanes of 32 bits, those below first, to both ends. How many are below. */
static inline int zc_divide_lanes(void *left, char *right, __m256i v, __m256i is_below)
{
    const uint32_t below = (uint32_t)_mm256_movemask_ps((__m256)is_below);
    const __m256i shifts = (__m256i)(zc_keys_32){0, 4, 8, 12, 16, 20, 24, 28};
    const __m256i order = _mm256_srlv_epi32(_mm256_set1_epi32((int)zc_lane_orders[below]), shifts);
    const __m256i moved = _mm256_permutevar8x32_epi32(v, order);
    _mm256_storeu_si256(left, moved);
    _mm256_storeu_si256((void *)(right - ZC_VECTOR_BYTES), moved);
    return __builtin_popcount(below);
}

static inline int zc_divide_32(int32_t *left, int32_t *right, zc_keys_32 v, zc_keys_32 pivot)
{
    return zc_divide_lanes(left, (char *)right, (__m256i)v, (__m256i)(v < pivot));
}

static inline int zc_divide_64(int64_t *left, int64_t *right, zc_keys_64 v, zc_keys_64 pivot)
{
    return zc_divide_lanes(left, (char *)right, (__m256i)v, (__m256i)(v < pivot)) / 2;
}
#endif

#endif
