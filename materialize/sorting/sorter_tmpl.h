/*
 * Sorting elements of one width. Included by sorter.c with ZC_W the width in bits, ZC_T the unsigned integer that holds
 * the bits of an element and, where C computes with floats of that width, ZC_REAL the type of those; undefines all.
 *
 * Lines are sorted by the digits of their keys, bytes from the lowest to the highest: as many steps as there are
 * elements and digits, whatever the elements are, and stable by itself. Few elements are inserted one by one. Where
 * machines can, lines in which what is equal is the same are divided instead (quick.h), and other short ones are sorted
 * by words (packed_tmpl.h).
 */
#define ZC_NAME_(name, width) name##_##width
#define ZC_NAME(name, width)  ZC_NAME_(name, width)
#define ZC_OF_WIDTH(name)     ZC_NAME(name, ZC_W)

static ZC_ALWAYS_INLINE bool ZC_OF_WIDTH(is_nan)(zc_key_rule rule, ZC_T bits)
{
    return (ZC_T)(bits & (ZC_T) ~((ZC_T)1 << (ZC_W - 1))) > (ZC_T)rule.infinity;
}

/* Elements compare as the unsigned integers that their keys are. Written without branches: signs are hard to predict.
 */
static ZC_ALWAYS_INLINE ZC_T ZC_OF_WIDTH(key)(zc_key_rule rule, ZC_T bits)
{
    const bool is_other = (bits != (ZC_T)rule.minus_zero) | (rule.minus_zero == 0);
    ZC_T number = bits & (ZC_T)(0 - (ZC_T)is_other);
    ZC_T is_negative = (ZC_T)(0 - (ZC_T)(number >> (ZC_W - 1)));
    ZC_T flipped = (ZC_T)(rule.positive ^ (is_negative & (rule.negative ^ rule.positive)));
    ZC_T nan = (ZC_T)(0 - (ZC_T)ZC_OF_WIDTH(is_nan)(rule, number));
    return (ZC_T)((number ^ flipped) | nan);
}

static ZC_ALWAYS_INLINE ZC_T ZC_OF_WIDTH(read)(zc_key_rule rule, const char *from, int64_t i)
{
    ZC_T bits;
    memcpy(&bits, from + i * (int64_t)sizeof bits, sizeof bits); /* proven: inside the memory */
    ZC_T as_it_is = (ZC_T)((ZC_T)rule.is_truth - 1);             /* no branch, as the rule is known */
    return (ZC_T)((bits & as_it_is) | ((ZC_T)(bits != 0) & (ZC_T)~as_it_is));
}

static ZC_ALWAYS_INLINE void ZC_OF_WIDTH(pack)(zc_key_rule rule, const char *from, int64_t stride, int64_t count,
                                               void *to)
{
    ZC_T *values = to;
    if (stride == 1 && !rule.is_truth) { /* LCOV_EXCL_BR_LINE: of a dtype the rule is known */
        memcpy(to, from, (size_t)count * sizeof *values);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        values[i] = ZC_OF_WIDTH(read)(rule, from, i * stride); /* proven: inside the memory */
}

static void ZC_OF_WIDTH(unpack)(const void *from, int64_t count, char *to, int64_t stride)
{
    const ZC_T *values = from;
    if (stride == 1)
        memcpy(to, from, (size_t)count * sizeof *values);
    for (int64_t i = 0; stride != 1 && i < count; i++)
        memcpy(to + i * stride * (int64_t)sizeof *values, &values[i], sizeof *values); /* proven: inside the memory */
}

/* ---- Sorting ---- */

static ZC_ALWAYS_INLINE void ZC_OF_WIDTH(insert)(zc_key_rule rule, ZC_T flip, zc_line *line)
{
    ZC_T *values = line->values;
    int64_t *index = line->index;
    for (int64_t i = 1; i < line->count; i++) {
        ZC_T value = values[i], key = ZC_OF_WIDTH(key)(rule, value) ^ flip;
        int64_t number = index != NULL ? index[i] : 0, at = i;
        for (; at > 0 && (ZC_T)(ZC_OF_WIDTH(key)(rule, values[at - 1]) ^ flip) > key; at--) {
            values[at] = values[at - 1];
            if (index != NULL)
                index[at] = index[at - 1];
        }
        values[at] = value;
        if (index != NULL)
            index[at] = number;
    }
}

/* Moves elements first .. end-1 to their places by one digit; place[d] is where the next one with digit d goes. */
static ZC_ALWAYS_INLINE void ZC_OF_WIDTH(move_some)(zc_key_rule rule, ZC_T flip, zc_line *line, int shift,
                                                    int64_t *place, int64_t first, int64_t end)
{
    const ZC_T *from = line->values;
    const int64_t *index = line->index;
    ZC_T *to = line->spare;
    int64_t *index_to = line->index_spare;
    for (int64_t i = first; index == NULL && i < end; i++) {
        ZC_T key = ZC_OF_WIDTH(key)(rule, from[i]) ^ flip;
        to[place[key >> shift & LAST_DIGIT]++] = from[i];
    }
    for (int64_t i = first; index != NULL && i < end; i++) {
        ZC_T key = ZC_OF_WIDTH(key)(rule, from[i]) ^ flip;
        int64_t at = place[key >> shift & LAST_DIGIT]++;
        to[at] = from[i];
        index_to[at] = index[i];
    }
}

/* All of them; false: stopped. */
static ZC_ALWAYS_INLINE bool ZC_OF_WIDTH(move)(zc_key_rule rule, ZC_T flip, zc_line *line, int shift, int64_t *place)
{
    int64_t end;
    for (int64_t first = 0; first < line->count; first = end) {
        if (!look(line, first, &end))
            return false;
        ZC_OF_WIDTH(move_some)(rule, flip, line, shift, place, first, end);
    }
    zc_line_exchange(line);
    return true;
}

static ZC_ALWAYS_INLINE void ZC_OF_WIDTH(count_some)(zc_key_rule rule, ZC_T flip, const ZC_T *values,
                                                     int64_t (*places)[DIGITS], int64_t first, int64_t end)
{
    for (int64_t i = first; i < end; i++) {
        ZC_T key = ZC_OF_WIDTH(key)(rule, values[i]) ^ flip;
        for (size_t d = 0; d < sizeof key; d++)
            places[d][key >> (DIGIT_BITS * d) & LAST_DIGIT]++;
    }
}

#include "materialize/sorting/packed_tmpl.h"

#if ZC_W >= 32
/* Bits in which elements and keys differ in kernels that sort, where keys are numbers with sign. */
static ZC_ALWAYS_INLINE zc_key_bits ZC_OF_WIDTH(key_bits)(zc_key_rule rule, bool descending)
{
    const ZC_T flip = (ZC_T)((ZC_T)1 << (ZC_W - 1)) ^ (descending ? (ZC_T) ~(ZC_T)0 : 0);
    return (zc_key_bits){rule.negative ^ flip, rule.positive ^ flip, rule.minus_zero, rule.infinity};
}
#endif

static ZC_ALWAYS_INLINE zc_quick ZC_OF_WIDTH(share)(zc_key_rule rule, zc_line *line, zc_pool *pool, int threads)
{
#if ZC_W >= 32
    const zc_key_bits bits = ZC_OF_WIDTH(key_bits)(rule, line->descending);
    return zc_quick_share(line, sizeof(ZC_T), &bits, pool, threads);
#else
    (void)rule, (void)line, (void)pool, (void)threads;
    return ZC_QUICK_NOT_TAKEN;
#endif
}

static ZC_ALWAYS_INLINE int64_t ZC_OF_WIDTH(sort_rows)(zc_key_rule rule, const char *from, int64_t rows, int64_t extent,
                                                       bool descending, char *to)
{
#if ZC_W >= 32
    const zc_key_bits bits = ZC_OF_WIDTH(key_bits)(rule, descending);
    return zc_quick_rows(from, rows, extent, sizeof(ZC_T), &bits, to);
#else
    return ZC_OF_WIDTH(sort_wide_rows)(rule, from, rows, extent, descending, (ZC_T *)(void *)to);
#endif
}

static ZC_ALWAYS_INLINE bool ZC_OF_WIDTH(sort)(zc_key_rule rule, zc_line *line)
{
    ZC_T flip = line->descending ? (ZC_T) ~(ZC_T)0 : 0;
#if ZC_W >= 32
    const zc_key_bits bits = ZC_OF_WIDTH(key_bits)(rule, line->descending);
    const zc_quick done = line->index == NULL ? zc_quick_sort(line, sizeof(ZC_T), &bits) : ZC_QUICK_NOT_TAKEN;
    if (done != ZC_QUICK_NOT_TAKEN)
        return done == ZC_QUICK_SORTED;
#endif
    if (ZC_OF_WIDTH(sort_packed)(rule, flip, line))
        return true;
    if (line->count <= FEW_ELEMENTS) {
        ZC_OF_WIDTH(insert)(rule, flip, line);
        return true;
    }
    int64_t places[sizeof(ZC_T)][DIGITS] = {{0}}, end;
    for (int64_t first = 0; first < line->count; first = end) {
        if (!look(line, first, &end))
            return false;
        ZC_OF_WIDTH(count_some)(rule, flip, line->values, places, first, end);
    }
    for (size_t d = 0; d < sizeof(ZC_T); d++) {
        if (counts_to_places(places[d], line->count) &&
            !ZC_OF_WIDTH(move)(rule, flip, line, (int)(DIGIT_BITS * d), places[d]))
            return false;
    }
    return true;
}

/* ---- Parts ---- */

static ZC_ALWAYS_INLINE ZC_T ZC_OF_WIDTH(key_in_line)(zc_key_rule rule, const zc_line *line, int64_t i)
{
    const ZC_T flip = line->descending ? (ZC_T) ~(ZC_T)0 : 0;
    return ZC_OF_WIDTH(key)(rule, ((const ZC_T *)line->values)[i]) ^ flip;
}

static ZC_ALWAYS_INLINE void ZC_OF_WIDTH(count_parts)(zc_key_rule rule, const zc_deal *deal)
{
    const zc_line line = *deal->line;
    int64_t left = deal->end - deal->first;
    for (int p = 0; p + 1 < deal->parts; p++) {
        const ZC_T limit = (ZC_T)deal->limits[p];
        int64_t above = 0;
        for (int64_t i = deal->first; i < deal->end; i++)
            above += ZC_OF_WIDTH(key_in_line)(rule, &line, i) >= limit;
        deal->place[p] += left - above;
        left = above;
    }
    deal->place[deal->parts - 1] += left;
}

/* Without branches, which a compiler makes of a choice: elements come in any order. Of two parts, the places stay in
 * registers. */
static ZC_ALWAYS_INLINE void ZC_OF_WIDTH(deal_two)(zc_key_rule rule, const zc_deal *deal)
{
    const zc_line line = *deal->line;
    const ZC_T limit = (ZC_T)deal->limits[0], *values = line.values;
    ZC_T *to = line.spare;
    int64_t below = deal->place[0], above = deal->place[1];
    for (int64_t i = deal->first; i < deal->end; i++) {
        const int64_t is_above = ZC_OF_WIDTH(key_in_line)(rule, &line, i) >= limit;
        const int64_t at = below + ((above - below) & -is_above); /* proven: places in the room */
        to[at] = values[i];
        if (line.index != NULL)
            line.index_spare[at] = line.index[i];
        above += is_above;
        below += 1 - is_above;
    }
    deal->place[0] = below;
    deal->place[1] = above;
}

static ZC_ALWAYS_INLINE void ZC_OF_WIDTH(deal_many)(zc_key_rule rule, const zc_deal *deal)
{
    const zc_line line = *deal->line;
    const ZC_T *values = line.values;
    ZC_T *to = line.spare;
    for (int64_t i = deal->first; i < deal->end; i++) {
        const ZC_T key = ZC_OF_WIDTH(key_in_line)(rule, &line, i);
        int part = 0;
        for (int p = 0; p + 1 < deal->parts; p++)
            part += key >= (ZC_T)deal->limits[p];
        const int64_t at = deal->place[part]++;
        to[at] = values[i];
        if (line.index != NULL)
            line.index_spare[at] = line.index[i];
    }
}

static ZC_ALWAYS_INLINE void ZC_OF_WIDTH(deal_parts)(zc_key_rule rule, const zc_deal *deal)
{
    if (deal->parts == 2)
        ZC_OF_WIDTH(deal_two)(rule, deal);
    else
        ZC_OF_WIDTH(deal_many)(rule, deal);
}

/* ---- Selecting ---- */

#if ZC_W >= 32
/* Takes those of the candidates whose places a kernel finds. NaNs and zeros, of which it knows less, are looked at. */
static ZC_ALWAYS_INLINE int64_t ZC_OF_WIDTH(take_found)(zc_key_rule rule, zc_line *line, int64_t used,
                                                        const zc_candidates *from, const zc_sort_kernels *kernels)
{
    const ZC_T flip = line->descending ? (ZC_T) ~(ZC_T)0 : 0, *elements = from->elements;
    const ZC_T limit = ZC_OF_WIDTH(key)(rule, *(const ZC_T *)from->limit) ^ flip;
    const zc_key_bits bits = ZC_OF_WIDTH(key_bits)(rule, line->descending);
    int32_t places[ZC_MOST_CANDIDATES];
    const int64_t count = kernels->find(places, elements, from->count, from->limit, &bits);
    for (int64_t i = 0; i < count; i++) {
        ((ZC_T *)line->values)[used] = elements[places[i]];
        line->index[used] = from->first + places[i];
        used += (ZC_T)(ZC_OF_WIDTH(key)(rule, elements[places[i]]) ^ flip) < limit;
    }
    return used;
}
#endif

static ZC_ALWAYS_INLINE int64_t ZC_OF_WIDTH(take)(zc_key_rule rule, zc_line *line, int64_t used,
                                                  const zc_candidates *from)
{
    const ZC_T flip = line->descending ? (ZC_T) ~(ZC_T)0 : 0, *elements = from->elements;
    ZC_T limit = 0;
    /* LCOV_EXCL_BR_START: integers have no NaN */
    const bool is_nan = from->limit != NULL && ZC_OF_WIDTH(is_nan)(rule, *(const ZC_T *)from->limit);
    if (is_nan && line->descending) /* nothing comes before it */
        return used;
#if ZC_W >= 32
    const zc_sort_kernels *kernels = zc_quick_kernels(sizeof(ZC_T));
    if (kernels->most > 0 && from->limit != NULL && !is_nan)
        return ZC_OF_WIDTH(take_found)(rule, line, used, from, kernels);
#endif
    /* LCOV_EXCL_BR_STOP */
    if (from->limit != NULL)
        limit = ZC_OF_WIDTH(key)(rule, *(const ZC_T *)from->limit) ^ flip;
    for (int64_t i = 0; i < from->count; i++) {
        ZC_T key = ZC_OF_WIDTH(key)(rule, elements[i]) ^ flip;
        ((ZC_T *)line->values)[used] = elements[i];
        line->index[used] = from->first + i;
        used += (from->limit == NULL) | (key < limit);
    }
    return used;
}

/* The least keys are found by the network, then their elements are kept, and of those with the last key the first ones.
 */
static ZC_ALWAYS_INLINE int64_t ZC_OF_WIDTH(keep)(zc_key_rule rule, zc_line *line, int64_t used, int64_t kept)
{
#if ZC_W >= 32
    const zc_sort_kernels *kernels = zc_quick_kernels(sizeof(ZC_T));
    const ZC_T flip = line->descending ? (ZC_T) ~(ZC_T)0 : 0, high = (ZC_T)((ZC_T)1 << (ZC_W - 1));
    ZC_T *values = line->values, *keys = line->spare;
    int64_t to = 0, worst = 0, below = kept - 1;
    if (used > kernels->most)
        return -1;
    for (int64_t i = 0; i < used; i++)
        keys[i] = ZC_OF_WIDTH(key)(rule, values[i]) ^ flip ^ high; /* in the order of numbers with sign */
    kernels->few(keys, keys, used);
    const ZC_T last = keys[kept - 1];
    while (below > 0 && keys[below - 1] == last)
        below--;
    int64_t equal = kept - below;
    for (int64_t i = 0; i < used; i++) {
        const ZC_T key = ZC_OF_WIDTH(key)(rule, values[i]) ^ flip ^ high;
        const bool is_last = (key == last) & (equal > 0);
        values[to] = values[i];
        line->index[to] = line->index[i];
        worst = is_last ? to : worst;
        equal -= is_last;
        to += ((ZC_T)(key ^ high) < (ZC_T)(last ^ high)) | is_last;
    }
    return worst;
#else
    (void)rule, (void)line, (void)used, (void)kept;
    return -1;
#endif
}

/* ---- Sorted lines ---- */

/* Tells whether two elements are of different groups. */
static ZC_ALWAYS_INLINE bool ZC_OF_WIDTH(differ)(zc_key_rule rule, ZC_T a, ZC_T b)
{
#if defined(ZC_REAL)
    if (rule.infinity != UINT64_MAX) { /* as numbers: a NaN differs from all, and zeros are equal */
        ZC_REAL x, y;
        memcpy(&x, &a, sizeof x);
        memcpy(&y, &b, sizeof y);
        return x != y;
    }
#endif
    const bool is_nan = ZC_OF_WIDTH(is_nan)(rule, a);
    return (ZC_OF_WIDTH(key)(rule, a) != ZC_OF_WIDTH(key)(rule, b)) | is_nan;
}

static ZC_ALWAYS_INLINE int64_t ZC_OF_WIDTH(distinct)(zc_key_rule rule, const zc_line *line)
{
    ZC_T *values = line->values, previous = values[0];
    int64_t groups = 1;
    for (int64_t i = 1; i < line->count; i++) { /* written over where it is no first one */
        /* LCOV_EXCL_BR_START: of a dtype it is known how it compares */
        const ZC_T value = values[groups] = values[i];
        groups += ZC_OF_WIDTH(differ)(rule, value, previous);
        /* LCOV_EXCL_BR_STOP */
        previous = value;
    }
    return groups;
}

static ZC_ALWAYS_INLINE int64_t ZC_OF_WIDTH(group)(zc_key_rule rule, const zc_line *line, const zc_groups *to)
{
    const ZC_T *values = line->values;
    int64_t groups = 0;
    ZC_T previous = 0;
    for (int64_t i = 0; i < line->count; i++) {
        ZC_T key = ZC_OF_WIDTH(key)(rule, values[i]);
        if ((i == 0) | (key != previous) | ZC_OF_WIDTH(is_nan)(rule, values[i])) {
            if (to->values != NULL)
                ((ZC_T *)to->values)[groups] = values[i];
            if (to->first != NULL)
                to->first[groups] = line->index[i];
            if (to->counts != NULL)
                to->counts[groups] = 0;
            groups++;
        }
        if (to->counts != NULL)
            to->counts[groups - 1]++;
        if (to->inverse != NULL)
            to->inverse[line->index[i]] = groups - 1;
        previous = key;
    }
    return groups;
}

/* Tells whether the haystack's element belongs before the key. */
static ZC_ALWAYS_INLINE bool ZC_OF_WIDTH(is_before)(zc_key_rule rule, const zc_haystack *in, int64_t at, ZC_T key)
{
    ZC_T found = ZC_OF_WIDTH(key)(rule, ZC_OF_WIDTH(read)(rule, in->memory, at * in->stride)); /* proven: inside it */
    return (found < key) | ((found == key) & in->right);
}

/* Finds the places where some elements belong. All are halved side by side and without branches, so that reading for
 * one overlaps with the others. */
static ZC_ALWAYS_INLINE void ZC_OF_WIDTH(search_some)(zc_key_rule rule, const zc_haystack *in, const ZC_T *wanted,
                                                      int count, int64_t *to)
{
    ZC_T keys[KEYS_TOGETHER];
    int64_t left = in->count;
    for (int i = 0; i < count; i++)
        keys[i] = ZC_OF_WIDTH(key)(rule, wanted[i]);
    memset(to, 0, (size_t)count * sizeof *to);
    for (int64_t half; left > 1; left -= half) {
        half = left / 2;
        for (int i = 0; i < count; i++)
            to[i] += ZC_OF_WIDTH(is_before)(rule, in, to[i] + half - 1, keys[i]) ? half : 0;
    }
    for (int i = 0; left == 1 && i < count; i++)
        to[i] += ZC_OF_WIDTH(is_before)(rule, in, to[i], keys[i]);
}

/* Tells the same for an element of the haystack and one that is no NaN. */
static ZC_ALWAYS_INLINE bool ZC_OF_WIDTH(goes_before)(zc_key_rule rule, ZC_T found, ZC_T wanted, const bool right)
{
#if defined(ZC_REAL)
    if (rule.infinity != UINT64_MAX) { /* as numbers: of them a NaN is never before, and zeros are equal */
        ZC_REAL x, y;
        memcpy(&x, &found, sizeof x);
        memcpy(&y, &wanted, sizeof y);
        return (x < y) | ((x == y) & right);
    }
#endif
    const ZC_T x = ZC_OF_WIDTH(key)(rule, found), y = ZC_OF_WIDTH(key)(rule, wanted);
    return (x < y) | ((x == y) & right);
}

/* Finds the places where KEYS_TOGETHER elements belong, none of them a NaN, in a haystack that is a row: by the
 * comparisons of search_some(), with all places at hand and no arithmetic but that of the comparison. */
static ZC_ALWAYS_INLINE void ZC_OF_WIDTH(search_row)(zc_key_rule rule, const zc_haystack *in, const bool right,
                                                     const ZC_T *wanted, int64_t *to)
{
    /* LCOV_EXCL_BR_START: of a dtype it is known how it compares */
    const char *at[KEYS_TOGETHER];
    const int64_t item = sizeof(ZC_T);
    int64_t left = in->count; /* 1 at least */
    for (int i = 0; i < KEYS_TOGETHER; i++)
        at[i] = in->memory;
    for (int64_t half; left > 1; left -= half) {
        half = left / 2;
        _Pragma("GCC unroll 16") for (int i = 0; i < KEYS_TOGETHER; i++)
        {
            const ZC_T found = ZC_OF_WIDTH(read)(rule, at[i], half - 1);
            const int64_t is_before = ZC_OF_WIDTH(goes_before)(rule, found, wanted[i], right);
            at[i] += half * item & -is_before; /* proven: inside the memory */
        }
    }
    for (int i = 0; i < KEYS_TOGETHER; i++)
        to[i] = (at[i] - in->memory) / item +
                ZC_OF_WIDTH(goes_before)(rule, ZC_OF_WIDTH(read)(rule, at[i], 0), wanted[i], right);
    /* LCOV_EXCL_BR_STOP */
}

static ZC_ALWAYS_INLINE void ZC_OF_WIDTH(search)(zc_key_rule rule, const zc_haystack *in, const char *from,
                                                 int64_t stride, int64_t count, int64_t *to)
{
    const bool is_row =
        in->count > 0 && in->stride == 1 && !rule.is_truth; /* LCOV_EXCL_BR_LINE: of a dtype it is known */
    ZC_T wanted[KEYS_TOGETHER];
    for (int64_t first = 0; first < count; first += KEYS_TOGETHER) {
        const int n = count - first < KEYS_TOGETHER ? (int)(count - first) : KEYS_TOGETHER;
        bool has_nan = false;
        for (int i = 0; i < n; i++) { /* proven: inside the memory */
            wanted[i] = ZC_OF_WIDTH(read)(rule, from, (first + i) * stride);
            has_nan |= ZC_OF_WIDTH(is_nan)(rule, wanted[i]);
        }
        /* LCOV_EXCL_BR_START: of a dtype it is known whether it may be a row, and whether there are NaNs */
        if (is_row && n == KEYS_TOGETHER && !has_nan && in->right)
            ZC_OF_WIDTH(search_row)(rule, in, true, wanted, to + first);
        else if (is_row && n == KEYS_TOGETHER && !has_nan)
            ZC_OF_WIDTH(search_row)(rule, in, false, wanted, to + first);
        else
            ZC_OF_WIDTH(search_some)(rule, in, wanted, n, to + first);
        /* LCOV_EXCL_BR_STOP */
    }
}

#undef ZC_NAME_
#undef ZC_NAME
#undef ZC_OF_WIDTH
#undef ZC_W
#undef ZC_T
#undef ZC_REAL
