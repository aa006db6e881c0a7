/*
 * Sorting keys, which are numbers with sign. Included by sort.c with ZC_D the dtype's name, ZC_T its C type, ZC_WIDTH
 * its bits and ZC_LANES how many of them a register has; undefines them.
 *
 * Few keys are sorted in registers by a bitonic network: the lanes of each, then ever larger groups of registers are
 * merged. Many are divided by a pivot first (sorting/quick.c). Which lanes meet is spelt out, so that compilers find an
 * instruction for it.
 */
#define ZC_VARIANT_(f, width) f##_##width
#define ZC_VARIANT(f, width)  ZC_VARIANT_(f, width)
#define ZC_OF(f)              ZC_VARIANT(f, ZC_WIDTH)
#define ZC_V                  ZC_OF(zc_keys)
#define ZC_EACH(f, x)         ZC_VARIANT(ZC_EACH, ZC_LANES)(f, x)

#define ZC_MOST ((ZC_T)((((ZC_T)1 << (ZC_WIDTH - 2)) - 1) * 2 + 1))

#define ZC_PARTNER(lane, distance) ((lane) ^ (distance))

/* Compares each lane of `count` registers with the one whose number differs from its own in the bits of `distance`: the
 * smaller goes where the bit `upper` of the number is 0. All registers take each step before the next one, which waits
 * for it. */
#define ZC_COMPARE_LANES(v, count, distance, upper)                                                                    \
    _Pragma("GCC unroll 16") for (int i = 0; i < (count); i++)                                                         \
    {                                                                                                                  \
        const ZC_V other = ZC_SHUFFLE(ZC_T, v[i], v[i], ZC_EACH(ZC_PARTNER, distance));                                \
        v[i] = ZC_OF(ZC_ORDERED)(v[i], other, upper);                                                                  \
    }

ZC_ALWAYS_INLINE void ZC_OF(compare)(ZC_V *a, ZC_V *b)
{
    const ZC_V smaller = ZC_OF(zc_smaller)(*a, *b);
    *b = ZC_OF(zc_larger)(*a, *b);
    *a = smaller;
}

/* LCOV_EXCL_BR_START: how often loops go round is known where these are inlined */

/* Sorts lanes that rise and then fall, or are turned from there. */
ZC_ALWAYS_INLINE void ZC_OF(merge_lanes)(ZC_V *v, const int count)
{
#if ZC_LANES > 8
    ZC_COMPARE_LANES(v, count, 8, 8)
#endif
#if ZC_LANES > 4
    ZC_COMPARE_LANES(v, count, 4, 4)
#endif
    ZC_COMPARE_LANES(v, count, 2, 2)
    ZC_COMPARE_LANES(v, count, 1, 1)
}

ZC_ALWAYS_INLINE void ZC_OF(sort_lanes)(ZC_V *v, const int count)
{
    ZC_COMPARE_LANES(v, count, 1, 1)
    ZC_COMPARE_LANES(v, count, 3, 2)
    ZC_COMPARE_LANES(v, count, 1, 1)
#if ZC_LANES > 4
    ZC_COMPARE_LANES(v, count, 7, 4)
    ZC_COMPARE_LANES(v, count, 2, 2)
    ZC_COMPARE_LANES(v, count, 1, 1)
#endif
#if ZC_LANES > 8
    ZC_COMPARE_LANES(v, count, 15, 8)
    ZC_COMPARE_LANES(v, count, 4, 4)
    ZC_COMPARE_LANES(v, count, 2, 2)
    ZC_COMPARE_LANES(v, count, 1, 1)
#endif
}

/* Compares each of `count` registers with the one `distance` behind it. */
ZC_ALWAYS_INLINE void ZC_OF(compare_registers)(ZC_V *v, const int count, const int distance)
{
    _Pragma("GCC unroll 16") for (int i = 0; i < count; i++)
    {
        if ((i & distance) == 0 && i + distance < count)
            ZC_OF(compare)(&v[i], &v[i + distance]);
    }
}

/* Merges sorted groups of `size` registers, of `count`, into half as many: every second one is turned, so that it and
 * the one before it rise and then fall. */
ZC_ALWAYS_INLINE void ZC_OF(merge)(ZC_V *v, const int count, const int size)
{
    ZC_V turned[8];
    _Pragma("GCC unroll 8") for (int i = 0; i < count / 2; i++)
    {
        const int group = i / size * 2 * size, at = i % size;
        const ZC_V last = v[group + 2 * size - 1 - at];
        turned[i] = ZC_SHUFFLE(ZC_T, last, last, ZC_EACH(ZC_PARTNER, ZC_LANES - 1));
    }
    _Pragma("GCC unroll 8") for (int i = 0; i < count / 2; i++)
        ZC_OF(compare)(&v[i / size * 2 * size + i % size], &turned[i]);
    _Pragma("GCC unroll 8") for (int i = 0; i < count / 2; i++) v[i / size * 2 * size + size + i % size] = turned[i];
    if (size > 4)
        ZC_OF(compare_registers)(v, count, 4);
    if (size > 2)
        ZC_OF(compare_registers)(v, count, 2);
    if (size > 1)
        ZC_OF(compare_registers)(v, count, 1);
    ZC_OF(merge_lanes)(v, count);
}

ZC_ALWAYS_INLINE void ZC_OF(sort_registers)(ZC_V *v, const int count)
{
    ZC_OF(sort_lanes)(v, count);
    if (count > 1)
        ZC_OF(merge)(v, count, 1);
    if (count > 2)
        ZC_OF(merge)(v, count, 2);
    if (count > 4)
        ZC_OF(merge)(v, count, 4);
    if (count > 8)
        ZC_OF(merge)(v, count, 8);
}

/* n keys, which fill more than half of `count` registers. */
ZC_ALWAYS_INLINE void ZC_OF(sort_keys)(ZC_T *to, const ZC_T *from, int64_t n, const int count)
{
    ZC_V v[16];
    _Pragma("GCC unroll 16") for (int i = 0; i < count; i++) v[i] =
        ZC_OF(zc_load_first)(from + i * ZC_LANES, n - i * ZC_LANES, ZC_MOST - (ZC_V){0});
    ZC_OF(sort_registers)(v, count);
    _Pragma("GCC unroll 16") for (int i = 0; i < count; i++)
        ZC_OF(zc_store_first)(to + i * ZC_LANES, n - i * ZC_LANES, v[i]);
}

/* Elements that are not negative, and those that are, become keys or the other way round. */
ZC_ALWAYS_INLINE ZC_V ZC_OF(flip)(ZC_V v, ZC_V is_negative, const zc_key_bits *bits)
{
    return v ^ (ZC_T)bits->positive ^ (is_negative & (ZC_T)(bits->positive ^ bits->negative));
}

/* All bits of the lanes that are NaNs; of those and others that equal elements with other bits. */
ZC_ALWAYS_INLINE ZC_V ZC_OF(find_nan)(ZC_V v, const zc_key_bits *bits)
{
    const ZC_T sign = (ZC_T)bits->minus_zero, infinity = (ZC_T)bits->infinity;
    return infinity < 0 ? (ZC_V){0} : (ZC_V)((v & ~sign) > infinity);
}

ZC_ALWAYS_INLINE ZC_V ZC_OF(find_special)(ZC_V v, const zc_key_bits *bits)
{
    const ZC_T zero = (ZC_T)bits->minus_zero, infinity = (ZC_T)bits->infinity;
    return infinity < 0 ? (ZC_V){0} : (ZC_V)(v == zero) | ZC_OF(find_nan)(v, bits);
}

/* Rows of n elements, which fill more than half of `count` registers: as the table says. */
ZC_ALWAYS_INLINE int64_t ZC_OF(sort_short)(ZC_T *to, const ZC_T *from, int64_t rows, int64_t n, const zc_key_bits *bits,
                                           const int count)
{
    const ZC_T highest_flip =
        (ZC_T)(bits->positive >> (ZC_WIDTH - 1)) != 0 ? (ZC_T)bits->negative : (ZC_T)bits->positive;
    const ZC_V none = {0}, last = (ZC_MOST ^ highest_flip) - none; /* the key of `last` is the largest */
    for (int64_t row = 0; row < rows; row++, from += n, to += n) {
        ZC_V v[4], special = none;
        _Pragma("GCC unroll 4") for (int i = 0; i < count; i++)
        {
            const int64_t left = n - i * ZC_LANES;
            special |= ZC_OF(find_special)(ZC_OF(zc_load_first)(from + i * ZC_LANES, left, none), bits);
            v[i] = ZC_OF(zc_load_first)(from + i * ZC_LANES, left, last);
            v[i] = ZC_OF(flip)(v[i], v[i] >> (ZC_WIDTH - 1), bits);
        }
        if (ZC_OF(zc_marked)(special) != 0)
            return row;
        ZC_OF(sort_registers)(v, count);
        _Pragma("GCC unroll 4") for (int i = 0; i < count; i++)
        {
            v[i] = ZC_OF(flip)(v[i], (v[i] ^ (ZC_T)bits->positive) >> (ZC_WIDTH - 1), bits);
            ZC_OF(zc_store_first)(to + i * ZC_LANES, n - i * ZC_LANES, v[i]);
        }
    }
    return rows;
}

/* LCOV_EXCL_BR_STOP */

void ZC_KERNEL(sort_few)(void *to, const void *from, int64_t n)
{
    if (n <= ZC_LANES)
        ZC_OF(sort_keys)(to, from, n, 1);
    else if (n <= 2 * ZC_LANES)
        ZC_OF(sort_keys)(to, from, n, 2);
    else if (n <= 4 * ZC_LANES)
        ZC_OF(sort_keys)(to, from, n, 4);
    else if (n <= 8 * ZC_LANES)
        ZC_OF(sort_keys)(to, from, n, 8);
    else
        ZC_OF(sort_keys)(to, from, n, 16);
}

int64_t ZC_KERNEL(sort_rows)(void *to, const void *from, int64_t rows, int64_t n, const zc_key_bits *bits)
{
    if (n <= ZC_LANES)
        return ZC_OF(sort_short)(to, from, rows, n, bits, 1);
    if (n <= 2 * ZC_LANES)
        return ZC_OF(sort_short)(to, from, rows, n, bits, 2);
    return ZC_OF(sort_short)(to, from, rows, n, bits, 4);
}

int64_t ZC_KERNEL(sort_find)(int32_t *places, const void *elements, int64_t n, const void *limit,
                             const zc_key_bits *bits)
{
    enum { TOGETHER = 4 };
    const ZC_T *from = elements;
    ZC_T last;
    memcpy(&last, limit, sizeof last);
    const ZC_V none = {0}, others = last - none, bound = ZC_OF(flip)(others, others >> (ZC_WIDTH - 1), bits);
    int64_t count = 0;
    for (int64_t i = 0; i < n; i += TOGETHER * ZC_LANES) {
        ZC_V found[TOGETHER], any = none;
        _Pragma("GCC unroll 4") for (int j = 0; j < TOGETHER; j++) /* a lane behind the last element is the limit */
        {
            const int64_t at = i + j * ZC_LANES;
            const ZC_V v = ZC_OF(zc_load_first)(from + at, n - at, others);
            found[j] = (ZC_V)(ZC_OF(flip)(v, v >> (ZC_WIDTH - 1), bits) < bound) | ZC_OF(find_nan)(v, bits);
            any |= found[j];
        }
        if (ZC_OF(zc_marked)(any) == 0)
            continue;
        for (int j = 0; j < TOGETHER; j++) {
            for (uint32_t lanes = ZC_OF(zc_marked)(found[j]); lanes != 0; lanes &= lanes - 1)
                places[count++] = (int32_t)(i + j * ZC_LANES + __builtin_ctz(lanes));
        }
    }
    return count;
}

/* Asks for what is written soon on both sides: what lies below is not found out by processors in time. */
ZC_ALWAYS_INLINE void ZC_OF(ask_ahead)(const ZC_T *left, const ZC_T *right)
{
    enum { AHEAD = 8 * ZC_LANES * sizeof(ZC_T), LINE = 64, LINES = 2 };
    _Pragma("GCC unroll 2") for (uintptr_t i = 0; i < LINES; i++)
    {
        __builtin_prefetch((const void *)((uintptr_t)left + AHEAD + i * LINE), 1);
        __builtin_prefetch((const void *)((uintptr_t)right - AHEAD - i * LINE), 1);
    }
}

/* Divides `count` registers of keys, all of which are read before. */
ZC_ALWAYS_INLINE void ZC_OF(divide_registers)(ZC_T **left, ZC_T **right, const ZC_T *from, ZC_V pivot, const int count)
{
    ZC_V v[4];
    _Pragma("GCC unroll 4") for (int i = 0; i < count; i++) memcpy(&v[i], from + i * ZC_LANES, sizeof v[i]);
    _Pragma("GCC unroll 4") for (int i = 0; i < count; i++)
    {
        const int below = ZC_OF(zc_divide)(*left, *right, v[i], pivot);
        *left += below;
        *right -= ZC_LANES - below;
    }
}

int64_t ZC_KERNEL(sort_divide)(void *to, const void *from, int64_t n, const void *pivot)
{
    const ZC_T *keys = from;
    ZC_T *left = to, *right = left + n, middle;
    memcpy(&middle, pivot, sizeof middle);
    const ZC_V limit = middle - (ZC_V){0};
    int64_t i = 0; /* as many keys are left as there is room between left and right */
    for (; n - i >= (ZC_OF(ZC_DIVIDE_ROOM) + 3) * ZC_LANES; i += 4 * ZC_LANES) {
        ZC_OF(ask_ahead)(left, right);
        ZC_OF(divide_registers)(&left, &right, keys + i, limit, 4);
    }
    for (; n - i >= ZC_OF(ZC_DIVIDE_ROOM) * ZC_LANES; i += ZC_LANES)
        ZC_OF(divide_registers)(&left, &right, keys + i, limit, 1);
    for (; i < n; i++) { /* without branches: a key below the pivot is written over at the right end */
        const bool is_below = keys[i] < middle;
        right[-1] = *left = keys[i];
        left += is_below;
        right -= !is_below;
    }
    return left - (ZC_T *)to;
}

bool ZC_KERNEL(sort_to_keys)(void *elements, int64_t n, const zc_key_bits *bits)
{
    ZC_T *v = elements, special = 0;
    const ZC_T positive = (ZC_T)bits->positive, negative = (ZC_T)bits->negative;
    const ZC_T zero = (ZC_T)bits->minus_zero, infinity = (ZC_T)bits->infinity, low = ~zero;
    for (int64_t i = 0; infinity >= 0 && i < n; i++)
        special |= (ZC_T)((v[i] == zero) | ((v[i] & low) > infinity));
    const int64_t changed = special == 0 && (negative | positive) != 0 ? n : 0;
    for (int64_t i = 0; i < changed; i++)
        v[i] ^= v[i] < 0 ? negative : positive;
    return special == 0;
}

void ZC_KERNEL(sort_from_keys)(void *elements, int64_t n, const zc_key_bits *bits)
{
    ZC_T *v = elements;
    const ZC_T positive = (ZC_T)bits->positive, negative = (ZC_T)bits->negative;
    const ZC_T falls = positive < 0 ? -1 : 0; /* -1 where elements that are not negative have negative keys */
    const int64_t changed = (negative | positive) != 0 ? n : 0;
    for (int64_t i = 0; i < changed; i++)
        v[i] ^= (v[i] ^ falls) < 0 ? negative : positive;
}

#undef ZC_VARIANT_
#undef ZC_VARIANT
#undef ZC_OF
#undef ZC_V
#undef ZC_EACH
#undef ZC_MOST
#undef ZC_PARTNER
#undef ZC_COMPARE_LANES
#undef ZC_D
#undef ZC_T
#undef ZC_WIDTH
#undef ZC_LANES
