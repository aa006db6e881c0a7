/*
 * Sorting lines of few elements of one width by words: an element's key in the high bits, its number in the low ones.
 * Included by sorter_tmpl.h; the names are those of that file. Undefines its own.
 *
 * No two words are equal, so sorting them by kernels that are not stable is stable. Elements are moved as they are by
 * the numbers, since equal keys may have different bits.
 */
#if ZC_W <= 16
#define ZC_WORD         uint32_t
#define ZC_NUMBER_BITS  16
#define ZC_LEAST_PACKED 4 /* fewer elements are inserted sooner */
#elif ZC_W == 32
#define ZC_WORD         uint64_t
#define ZC_NUMBER_BITS  32
#define ZC_LEAST_PACKED 4
#else
#define ZC_WORD         uint64_t
#define ZC_NUMBER_BITS  8
#define ZC_LEAST_PACKED 8
#endif

/* Kernels compare words as numbers with sign. */
#define ZC_HIGHEST ((ZC_WORD)1 << (sizeof(ZC_WORD) * 8 - 1))

/* Makes the words; false: keys have lost their lowest bits, as some are too far from each other. */
static ZC_ALWAYS_INLINE bool ZC_OF_WIDTH(pack_words)(zc_key_rule rule, ZC_T flip, const zc_line *line, ZC_WORD *words)
{
    const ZC_T *values = line->values;
#if ZC_W < 64
    for (int64_t i = 0; i < line->count; i++) {
        const ZC_WORD key = (ZC_T)(ZC_OF_WIDTH(key)(rule, values[i]) ^ flip);
        words[i] = (key << ZC_NUMBER_BITS | (ZC_WORD)i) ^ ZC_HIGHEST;
    }
    return true;
#else
    ZC_T least = UINT64_MAX, most = 0;
    for (int64_t i = 0; i < line->count; i++) {
        const ZC_T key = words[i] = ZC_OF_WIDTH(key)(rule, values[i]) ^ flip;
        least = key < least ? key : least;
        most = key > most ? key : most;
    }
    const int lost = (most - least) >> (ZC_W - ZC_NUMBER_BITS) != 0 ? ZC_NUMBER_BITS : 0;
    for (int64_t i = 0; i < line->count; i++)
        words[i] = ((words[i] - least) >> lost << ZC_NUMBER_BITS | (ZC_WORD)i) ^ ZC_HIGHEST;
    return lost == 0;
#endif
}

/* Puts the elements, and their numbers, where the words are. */
static ZC_ALWAYS_INLINE void ZC_OF_WIDTH(move_by_words)(zc_line *line, const ZC_WORD *words)
{
    const ZC_WORD number = ((ZC_WORD)1 << ZC_NUMBER_BITS) - 1;
    const ZC_T *values = line->values;
    ZC_T *to = line->spare;
    for (int64_t i = 0; line->index == NULL && i < line->count; i++)
        to[i] = values[words[i] & number];
    for (int64_t i = 0; line->index != NULL && i < line->count; i++) {
        to[i] = values[words[i] & number];
        line->index_spare[i] = line->index[words[i] & number];
    }
    zc_line_exchange(line);
}

/* LCOV_EXCL_BR_START: of a width it is known whether keys lose bits, and of a dtype whether it has a sign and NaNs */

/* Tells whether the elements are in order although keys have lost bits: those of them that seem to be equal. */
static ZC_ALWAYS_INLINE bool ZC_OF_WIDTH(are_in_order)(zc_key_rule rule, ZC_T flip, const zc_line *line,
                                                       const ZC_WORD *words)
{
    const ZC_T *values = line->values;
    for (int64_t i = 1; i < line->count; i++) {
        const bool seem_equal = (words[i - 1] ^ words[i]) >> ZC_NUMBER_BITS == 0;
        if (seem_equal &&
            (ZC_T)(ZC_OF_WIDTH(key)(rule, values[i - 1]) ^ flip) > (ZC_T)(ZC_OF_WIDTH(key)(rule, values[i]) ^ flip))
            return false;
    }
    return true;
}

/* False: the line is still to be sorted, and what is equal has kept its order. */
static ZC_ALWAYS_INLINE bool ZC_OF_WIDTH(sort_packed)(zc_key_rule rule, ZC_T flip, zc_line *line)
{
    ZC_WORD words[MOST_PACKED], room[MOST_PACKED];
    if (line->count < ZC_LEAST_PACKED || line->count > MOST_PACKED || zc_quick_kernels(sizeof *words)->most == 0)
        return false;
    const bool has_keys = ZC_OF_WIDTH(pack_words)(rule, flip, line, words);
    zc_quick_keys(words, room, line->count, sizeof *words);
    ZC_OF_WIDTH(move_by_words)(line, words);
    return has_keys || ZC_OF_WIDTH(are_in_order)(rule, flip, line, words);
}

#if ZC_W <= 16
/* Rows of integers that the kernels sort as they are, widened: what is equal is the same. */
static ZC_ALWAYS_INLINE int64_t ZC_OF_WIDTH(sort_wide_rows)(zc_key_rule rule, const char *from, int64_t rows,
                                                            int64_t extent, bool descending, ZC_T *to)
{
    const zc_sort_kernels *kernels = zc_quick_kernels(sizeof(int32_t));
    const ZC_T flip = descending ? (ZC_T) ~(ZC_T)0 : 0, back = flip ^ (ZC_T)rule.positive;
    int32_t keys[KEYS_OF_ROWS];
    if (rule.infinity != UINT64_MAX || extent > kernels->most)
        return 0;
    const int64_t together = KEYS_OF_ROWS / extent, sorted = rows < together ? rows : together;
    for (int64_t i = 0; i < sorted * extent; i++)
        keys[i] = (ZC_T)(ZC_OF_WIDTH(key)(rule, ZC_OF_WIDTH(read)(rule, from, i)) ^ flip);
    for (int64_t row = 0; row < sorted; row++)
        kernels->few(keys + row * extent, keys + row * extent, extent);
    for (int64_t i = 0; i < sorted * extent; i++)
        to[i] = (ZC_T)((ZC_T)keys[i] ^ back);
    return sorted;
}
#endif

/* LCOV_EXCL_BR_STOP */

#undef ZC_WORD
#undef ZC_NUMBER_BITS
#undef ZC_LEAST_PACKED
#undef ZC_HIGHEST
