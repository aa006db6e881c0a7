/*
 * Sorting keys, which are numbers without sign. Included by sort.c with ZC_D the dtype's name, ZC_T its C type,
 * ZC_WIDTH its bits and ZC_LANE_NUMBERS the numbers of a register's lanes; undefines them.
 *
 * Few keys are sorted in registers by a bitonic network: the lanes of each, then ever larger groups of registers are
 * merged. Many are divided by a pivot first (eager/quick.c).
 */
#define ZC_VARIANT_(f, width) f##_##width
#define ZC_VARIANT(f, width)  ZC_VARIANT_(f, width)
#define ZC_OF(f)              ZC_VARIANT(f, ZC_WIDTH)
#define ZC_V                  ZC_OF(zc_keys)
#define ZC_MASK               ZC_OF(zc_lanes)

enum { ZC_OF(LANES) = ZC_VECTOR_BYTES / sizeof(ZC_T), ZC_OF(MOST) = 8 * ZC_OF(LANES) };

static const ZC_V ZC_OF(number_of_lane) = ZC_LANE_NUMBERS;

/* The first n lanes; those of the first n keys, of which there are some. */
ZC_ALWAYS_INLINE ZC_MASK ZC_OF(first_lanes)(int n)
{
    return (ZC_MASK)((1U << n) - 1);
}

ZC_ALWAYS_INLINE ZC_MASK ZC_OF(lanes_of)(int64_t n)
{
    return ZC_OF(first_lanes)(n >= ZC_OF(LANES) ? ZC_OF(LANES) : (int)n);
}

/* The lanes whose number has the bit `bit`: as many as that are in, after as many that are not, again and again. */
ZC_ALWAYS_INLINE ZC_MASK ZC_OF(upper_lanes)(int bit)
{
    return (ZC_MASK)((UINT32_C(0xffff) / ((UINT32_C(1) << bit) + 1)) << bit);
}

/* Each lane and the one whose number differs from its own in the bits of `distance`: the smaller goes where the bit
 * `upper` is 0. */
ZC_ALWAYS_INLINE ZC_V ZC_OF(compare_lanes)(ZC_V v, int distance, int upper)
{
    const ZC_V index = ZC_OF(number_of_lane) ^ (ZC_T)distance;
    const ZC_V other = ZC_OF(zc_move)(v, index);
    return ZC_OF(zc_larger)(v, other, ZC_OF(zc_smaller)(v, other), ZC_OF(upper_lanes)(upper));
}

ZC_ALWAYS_INLINE void ZC_OF(compare)(ZC_V *a, ZC_V *b)
{
    const ZC_V smaller = ZC_OF(zc_smaller)(*a, *b);
    *b = ZC_OF(zc_larger)(*a, *b, *a, (ZC_MASK)-1);
    *a = smaller;
}

/* LCOV_EXCL_BR_START: how often loops go round is known where these are inlined */

/* Lanes that rise and then fall, or are turned from there, are sorted. */
ZC_ALWAYS_INLINE ZC_V ZC_OF(merge_lanes)(ZC_V v)
{
    _Pragma("GCC unroll 4") for (int distance = ZC_OF(LANES) / 2; distance > 0; distance /= 2) v =
        ZC_OF(compare_lanes)(v, distance, distance);
    return v;
}

ZC_ALWAYS_INLINE ZC_V ZC_OF(sort_lanes)(ZC_V v)
{
    _Pragma("GCC unroll 4") for (int size = 2; size <= ZC_OF(LANES); size *= 2)
    {
        v = ZC_OF(compare_lanes)(v, size - 1, size / 2);
        _Pragma("GCC unroll 4") for (int distance = size / 4; distance > 0; distance /= 2) v =
            ZC_OF(compare_lanes)(v, distance, distance);
    }
    return v;
}

/* Two sorted groups of `size` registers become one. */
ZC_ALWAYS_INLINE void ZC_OF(merge)(ZC_V *v, const int size)
{
    const ZC_V turn = ZC_OF(number_of_lane) ^ (ZC_T)(ZC_OF(LANES) - 1);
    ZC_V behind[4];
    _Pragma("GCC unroll 4") for (int i = 0; i < size; i++)
    {
        behind[i] = ZC_OF(zc_move)(v[2 * size - 1 - i], turn);
        ZC_OF(compare)(&v[i], &behind[i]);
    }
    _Pragma("GCC unroll 4") for (int i = 0; i < size; i++) v[size + i] = behind[i];
    _Pragma("GCC unroll 4") for (int distance = size / 2; distance > 0; distance /= 2)
    {
        _Pragma("GCC unroll 8") for (int i = 0; i < 2 * size; i++)
        {
            if ((i & distance) == 0)
                ZC_OF(compare)(&v[i], &v[i + distance]);
        }
    }
    _Pragma("GCC unroll 8") for (int i = 0; i < 2 * size; i++) v[i] = ZC_OF(merge_lanes)(v[i]);
}

/* `count` registers hold n keys, more than half of them full. */
ZC_ALWAYS_INLINE void ZC_OF(sort_registers)(ZC_T *to, const ZC_T *from, int64_t n, const int count)
{
    ZC_V v[8];
    const ZC_V most = ~(ZC_V){0};
    _Pragma("GCC unroll 8") for (int i = 0; i < count; i++)
    {
        const int64_t left = n - i * ZC_OF(LANES);
        v[i] = most;
        if (left > 0)
            v[i] = ZC_OF(sort_lanes)(ZC_OF(zc_load_some)(from + i * ZC_OF(LANES), most, ZC_OF(lanes_of)(left)));
    }
    _Pragma("GCC unroll 4") for (int size = 1; size < count; size *= 2)
    {
        _Pragma("GCC unroll 4") for (int i = 0; i < count; i += 2 * size) ZC_OF(merge)(v + i, size);
    }
    _Pragma("GCC unroll 8") for (int i = 0; i < count; i++)
    {
        const int64_t left = n - i * ZC_OF(LANES);
        if (left > 0)
            ZC_OF(zc_store_some)(to + i * ZC_OF(LANES), v[i], ZC_OF(lanes_of)(left));
    }
}

/* LCOV_EXCL_BR_STOP */

void ZC_KERNEL(sort_few)(void *to, const void *from, int64_t n)
{
    if (n <= ZC_OF(LANES))
        ZC_OF(sort_registers)(to, from, n, 1);
    else if (n <= 2 * ZC_OF(LANES))
        ZC_OF(sort_registers)(to, from, n, 2);
    else if (n <= 4 * ZC_OF(LANES))
        ZC_OF(sort_registers)(to, from, n, 4);
    else
        ZC_OF(sort_registers)(to, from, n, 8);
}

int64_t ZC_KERNEL(sort_divide)(void *to, const void *from, int64_t n, const void *pivot)
{
    const ZC_T *keys = from;
    ZC_T *left = to, *right = left + n, middle;
    memcpy(&middle, pivot, sizeof middle);
    const ZC_V limit = middle - (ZC_V){0};
    for (int64_t i = 0; i < n; i += ZC_OF(LANES)) {
        const ZC_MASK here = ZC_OF(lanes_of)(n - i);
        const ZC_V v = ZC_OF(zc_load_some)(keys + i, (ZC_V){0}, here);
        const ZC_MASK below = ZC_OF(zc_below)(v, limit) & here, others = (ZC_MASK)(here & ~below);
        const int lefts = __builtin_popcount(below), rights = __builtin_popcount(others);
        right -= rights;
        ZC_OF(zc_store_some)(left, ZC_OF(zc_compress)(v, below), ZC_OF(first_lanes)(lefts));
        ZC_OF(zc_store_some)(right, ZC_OF(zc_compress)(v, others), ZC_OF(first_lanes)(rights));
        left += lefts;
    }
    return left - (ZC_T *)to;
}

bool ZC_KERNEL(sort_to_keys)(void *elements, int64_t n, const zc_key_bits *bits)
{
    ZC_T *v = elements, special = 0;
    const ZC_T high = (ZC_T)1 << (ZC_WIDTH - 1), positive = (ZC_T)bits->positive, negative = (ZC_T)bits->negative;
    const ZC_T zero = (ZC_T)bits->minus_zero, infinity = (ZC_T)bits->infinity;
    for (int64_t i = 0; i < n; i++)
        special |= (ZC_T)(((v[i] == zero) & (zero != 0)) | ((v[i] & ~high) > infinity));
    for (int64_t i = 0; special == 0 && i < n; i++)
        v[i] ^= (v[i] & high) != 0 ? negative : positive;
    return special == 0;
}

void ZC_KERNEL(sort_from_keys)(void *elements, int64_t n, const zc_key_bits *bits)
{
    ZC_T *v = elements;
    const ZC_T high = (ZC_T)1 << (ZC_WIDTH - 1), positive = (ZC_T)bits->positive, negative = (ZC_T)bits->negative;
    const ZC_T rises = positive & high; /* of what is not negative */
    for (int64_t i = 0; i < n; i++)
        v[i] ^= (v[i] & high) == rises ? positive : negative;
}

#undef ZC_VARIANT_
#undef ZC_VARIANT
#undef ZC_OF
#undef ZC_V
#undef ZC_MASK
#undef ZC_D
#undef ZC_T
#undef ZC_WIDTH
#undef ZC_LANE_NUMBERS
