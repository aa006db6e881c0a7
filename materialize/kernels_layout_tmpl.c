/*
 * The kernels that turn rectangles of elements and that store past the caches. Included by kernels_tmpl.c. Elements are
 * bytes here: one function per size.
 *
 * Rectangles are turned square by square, in registers: a register holds one row of a square, and rows i and i + half
 * are interleaved, log2 of the side times, like two halves of a deck of cards. The sides that are left over are turned
 * by small squares, and then element by element.
 */
enum { ZC_SMALL_BYTES = 16 };
#if defined(ZC_VECTOR_BYTES)
enum { ZC_LARGE_BYTES = ZC_VECTOR_BYTES };
#else
enum { ZC_LARGE_BYTES = ZC_SMALL_BYTES };
#endif

#define ZC_TURN_INLINE static inline __attribute__((always_inline))
#define ZC_UNROLL      _Pragma("GCC unroll 64")

/* Elements by turns of a and b, in both from the lane `first` on. An element has `width` lanes. */
#if defined(__clang__)
#define ZC_EMIT_INTERLEAVED(squares, lane_type, width, lanes)                                                          \
    ZC_TURN_INLINE squares interleaved_##squares(squares a, squares b, int first)                                      \
    {                                                                                                                  \
        squares out;                                                                                                   \
        for (int l = 0; l < (lanes); l++)                                                                              \
            out[l] = (l / (width) % 2 ? b : a)[first + l / (2 * (width)) * (width) + l % (width)];                     \
        return out;                                                                                                    \
    }
#else
#define ZC_EMIT_INTERLEAVED(squares, lane_type, width, lanes)                                                          \
    ZC_TURN_INLINE squares interleaved_##squares(squares a, squares b, int first)                                      \
    {                                                                                                                  \
        squares from;                                                                                                  \
        ZC_UNROLL for (int l = 0; l < (lanes); l++)                                                                    \
        {                                                                                                              \
            int of_a = first + l / (2 * (width)) * (width) + l % (width);                                              \
            from[l] = (lane_type)(l / (width) % 2 ? of_a + (lanes) : of_a);                                            \
        }                                                                                                              \
        return __builtin_shuffle(a, b, from);                                                                          \
    }
#endif

/* Turns one square of elements, item_type, whose rows are registers of `bytes` bytes: `squares` is a register's type.
 * Strides are in elements. */
#define ZC_EMIT_SQUARES(squares, item_type, lane_type, width, bytes)                                                   \
    typedef lane_type squares __attribute__((vector_size(bytes)));                                                     \
    ZC_EMIT_INTERLEAVED(squares, lane_type, width, (bytes) / (int)sizeof(lane_type))                                   \
                                                                                                                       \
    ZC_TURN_INLINE void turn_##squares(item_type *to, const item_type *from, int64_t in_stride, int64_t out_stride)    \
    {                                                                                                                  \
        enum { SIDE = (bytes) / sizeof(item_type), HALF = SIDE / 2 };                                                  \
        squares row[SIDE], next[SIDE];                                                                                 \
        ZC_UNROLL for (int i = 0; i < SIDE; i++) memcpy(&row[i], from + i * in_stride, bytes);                         \
        ZC_UNROLL for (int done = 1; done < SIDE; done *= 2)                                                           \
        {                                                                                                              \
            ZC_UNROLL for (int i = 0; i < HALF; i++)                                                                   \
            {                                                                                                          \
                next[2 * i] = interleaved_##squares(row[i], row[i + HALF], 0);                                         \
                next[2 * i + 1] = interleaved_##squares(row[i], row[i + HALF], HALF * (width));                        \
            }                                                                                                          \
            ZC_UNROLL for (int i = 0; i < SIDE; i++) row[i] = next[i]; /* no memcpy: it goes through memory */         \
        }                                                                                                              \
        ZC_UNROLL for (int i = 0; i < SIDE; i++) memcpy(to + i * out_stride, &row[i], bytes);                          \
    }                                                                                                                  \
                                                                                                                       \
    /* Of a rectangle as many rows and columns as squares make up. */                                                  \
    static void turn_all_##squares(item_type *to, const item_type *from, int64_t in_stride, int64_t out_stride,        \
                                   int64_t rows, int64_t columns)                                                      \
    {                                                                                                                  \
        enum { SIDE = (bytes) / sizeof(item_type) };                                                                   \
        for (int64_t c = 0; c + SIDE <= columns; c += SIDE) {                                                          \
            for (int64_t r = 0; r + SIDE <= rows; r += SIDE)                                                           \
                turn_##squares(to + r * out_stride + c, from + c * in_stride + r, in_stride, out_stride);              \
        }                                                                                                              \
    }

/* Elements of `size` bytes are `width` lanes; `large` squares have rows of so many bytes. */
#define ZC_EMIT_TRANSPOSE(size, lane_type, width, large)                                                               \
    typedef struct item_##size {                                                                                       \
        lane_type lane[width];                                                                                         \
    } item_##size;                                                                                                     \
    ZC_EMIT_SQUARES(large_##size, item_##size, lane_type, width, large)                                                \
    ZC_EMIT_SQUARES(small_##size, item_##size, lane_type, width, ZC_SMALL_BYTES)                                       \
                                                                                                                       \
    static void transpose_##size(void *out, const void *in, int64_t in_stride, int64_t rows, int64_t columns)          \
    {                                                                                                                  \
        enum { LARGE = (large) / (size), SMALL = ZC_SMALL_BYTES / (size) };                                            \
        item_##size *to = out;                                                                                         \
        const item_##size *from = in;                                                                                  \
        int64_t r = rows / LARGE * LARGE, c = columns / LARGE * LARGE;                                                 \
        turn_all_large_##size(to, from, in_stride, columns, r, c);                                                     \
        turn_all_small_##size(to + c, from + c * in_stride, in_stride, columns, r, columns - c);                       \
        turn_all_small_##size(to + r * columns, from + r, in_stride, columns, rows - r, columns);                      \
        int64_t turned_rows = rows / SMALL * SMALL, turned_columns = columns / SMALL * SMALL;                          \
        for (r = 0; r < rows; r++) {                                                                                   \
            for (c = r < turned_rows ? turned_columns : 0; c < columns; c++)                                           \
                to[r * columns + c] = from[c * in_stride + r];                                                         \
        }                                                                                                              \
    }

ZC_EMIT_TRANSPOSE(1, uint8_t, 1, ZC_SMALL_BYTES)
ZC_EMIT_TRANSPOSE(2, uint16_t, 1, ZC_SMALL_BYTES)
ZC_EMIT_TRANSPOSE(4, uint32_t, 1, ZC_LARGE_BYTES)
ZC_EMIT_TRANSPOSE(8, uint64_t, 1, ZC_LARGE_BYTES)
ZC_EMIT_TRANSPOSE(16, uint64_t, 2, ZC_LARGE_BYTES)

/* ---- Past the caches ---- */

#if defined(ZC_VECTOR_BYTES)
enum { ZC_LINE_BYTES = 64 };

/* Lines that are written in part stay in the caches, where the rest of them may follow. */
static inline void stream_row(char *to, const char *from, size_t bytes)
{
    size_t head = -(uintptr_t)to % ZC_LINE_BYTES;
    if (head > bytes)
        head = bytes;
    memcpy(to, from, head);
    size_t at = head;
    for (; at + ZC_LINE_BYTES <= bytes; at += ZC_LINE_BYTES) {
        for (size_t i = 0; i < ZC_LINE_BYTES; i += ZC_VECTOR_BYTES) {
            zc_vector v;
            memcpy(&v, from + at + i, sizeof v);
            ZC_STREAM_VECTOR(to + at + i, v);
        }
    }
    memcpy(to + at, from + at, bytes - at);
}

static void stream(void *out, int64_t pitch, const void *in, size_t row_bytes, int64_t rows)
{
    for (int64_t r = 0; r < rows; r++)
        stream_row((char *)out + r * pitch, (const char *)in + (size_t)r * row_bytes, row_bytes);
}

static void fence(void)
{
    _mm_sfence();
}
#else
static void stream(void *out, int64_t pitch, const void *in, size_t row_bytes, int64_t rows)
{
    for (int64_t r = 0; r < rows; r++)
        memcpy((char *)out + r * pitch, (const char *)in + (size_t)r * row_bytes, row_bytes);
}

static void fence(void)
{
}
#endif
