/*
 * Transposes squares of elements in registers. Included by transpose_tmpl.h with ZC_SQUARE the name of the squares,
 * ZC_SQUARE_BYTES the bytes of their rows, ZC_ITEM an element, which is ZC_WIDTH times a ZC_LANE. Undefines the first
 * two. Strides are in elements.
 *
 * A register holds one row of a square, and rows i and i + half are interleaved, log2 of the side times, like two
 * halves of a deck of cards.
 */
#define ZC_OF_SQUARE(f) ZC_JOIN(f, ZC_SQUARE)

typedef ZC_LANE ZC_OF_SQUARE(row) __attribute__((vector_size(ZC_SQUARE_BYTES)));

/* Elements by turns of a and b, in both from the lane `first` on. */
/* LCOV_EXCL_BR_START: where large squares are no larger than small ones, no small one is left over */
ZC_ALWAYS_INLINE ZC_OF_SQUARE(row) ZC_OF_SQUARE(interleaved)(ZC_OF_SQUARE(row) a, ZC_OF_SQUARE(row) b, int first)
{
    enum { LANES = ZC_SQUARE_BYTES / sizeof(ZC_LANE) };
#if defined(__clang__)
    ZC_OF_SQUARE(row) out;
    for (int l = 0; l < LANES; l++)
        out[l] = (l / ZC_WIDTH % 2 ? b : a)[first + l / (2 * ZC_WIDTH) * ZC_WIDTH + l % ZC_WIDTH];
    return out;
#else
    ZC_OF_SQUARE(row) from = {0}; /* without optimization, nobody sees that every lane is set */
    ZC_UNROLL
    for (int l = 0; l < LANES; l++) {
        int of_a = first + l / (2 * ZC_WIDTH) * ZC_WIDTH + l % ZC_WIDTH;
        from[l] = (ZC_LANE)(l / ZC_WIDTH % 2 ? of_a + LANES : of_a);
    }
    return __builtin_shuffle(a, b, from);
#endif
}

ZC_ALWAYS_INLINE void ZC_OF_SQUARE(transpose)(ZC_ITEM *to, const ZC_ITEM *from, int64_t in_stride, int64_t out_stride)
{
    enum { SIDE = ZC_SQUARE_BYTES / sizeof(ZC_ITEM), HALF = SIDE / 2 };
    ZC_OF_SQUARE(row) row[SIDE], next[SIDE];
    ZC_UNROLL
    for (int i = 0; i < SIDE; i++)
        memcpy(&row[i], from + i * in_stride, ZC_SQUARE_BYTES);
    ZC_UNROLL
    for (int done = 1; done < SIDE; done *= 2) {
        ZC_UNROLL
        for (int i = 0; i < HALF; i++) {
            next[2 * i] = ZC_OF_SQUARE(interleaved)(row[i], row[i + HALF], 0);
            next[2 * i + 1] = ZC_OF_SQUARE(interleaved)(row[i], row[i + HALF], HALF * ZC_WIDTH);
        }
        ZC_UNROLL
        for (int i = 0; i < SIDE; i++)
            row[i] = next[i]; /* no memcpy: it goes through memory */
    }
    ZC_UNROLL
    for (int i = 0; i < SIDE; i++)
        memcpy(to + i * out_stride, &row[i], ZC_SQUARE_BYTES);
}

/* Transposes as many rows and columns of a rectangle as squares make up. */
static inline void ZC_OF_SQUARE(transpose_all)(ZC_ITEM *to, const ZC_ITEM *from, int64_t in_stride, int64_t out_stride,
                                               int64_t rows, int64_t columns)
{
    enum { SIDE = ZC_SQUARE_BYTES / sizeof(ZC_ITEM) };
    for (int64_t c = 0; c + SIDE <= columns; c += SIDE) {
        for (int64_t r = 0; r + SIDE <= rows; r += SIDE)
            ZC_OF_SQUARE(transpose)(to + r * out_stride + c, from + c * in_stride + r, in_stride, out_stride);
    }
}

/* LCOV_EXCL_BR_STOP */

#undef ZC_OF_SQUARE
#undef ZC_SQUARE
#undef ZC_SQUARE_BYTES
