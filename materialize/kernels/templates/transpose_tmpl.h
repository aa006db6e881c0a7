/*
 * Transposes rectangles of elements of one size. Included by layout.c with ZC_D their bytes, which are ZC_WIDTH times a
 * ZC_LANE, and ZC_LARGE the bytes of a row of a large square. Undefines them.
 *
 * Large squares first; small squares transpose the sides that are left over. A rectangle that has no small square is
 * transposed element by element.
 */
#define ZC_ITEM ZC_FN(item)
typedef struct ZC_ITEM {
    ZC_LANE lane[ZC_WIDTH];
} ZC_ITEM;

#define ZC_SQUARE       ZC_FN(large)
#define ZC_SQUARE_BYTES ZC_LARGE
#include "materialize/kernels/templates/squares_tmpl.h"
#define ZC_SQUARE       ZC_FN(small)
#define ZC_SQUARE_BYTES ZC_SMALL_BYTES
#include "materialize/kernels/templates/squares_tmpl.h"

void ZC_KERNEL(transpose)(void *out, const void *in, int64_t in_stride, int64_t rows, int64_t columns)
{
    enum { LARGE = ZC_LARGE / sizeof(ZC_ITEM), SMALL = ZC_SMALL_BYTES / sizeof(ZC_ITEM) };
    ZC_ITEM *to = out;
    const ZC_ITEM *from = in;
    int64_t r = rows / LARGE * LARGE, c = columns / LARGE * LARGE;
    ZC_FN(transpose_all_large)(to, from, in_stride, columns, r, c);
    ZC_FN(transpose_all_small)(to + c, from + c * in_stride, in_stride, columns, r, columns - c);
    ZC_FN(transpose_all_small)(to + r * columns, from + r, in_stride, columns, rows - r, columns);
    if (rows >= SMALL && columns >= SMALL) { /* the rest is turned in squares that end where the rectangle does */
        const int64_t last_row = rows - SMALL, last_column = columns - SMALL;
        const int64_t rows_left = rows % SMALL == 0 ? 0 : SMALL, columns_left = columns % SMALL == 0 ? 0 : SMALL;
        to += last_row * columns;
        ZC_FN(transpose_all_small)(to, from + last_row, in_stride, columns, rows_left, columns);
        to += last_column;
        from += last_column * in_stride;
        ZC_FN(transpose_all_small)(to - last_row * columns, from, in_stride, columns, rows, columns_left);
        ZC_FN(transpose_all_small)(to, from + last_row, in_stride, columns, rows_left, columns_left);
        return;
    }
    for (r = 0; r < rows; r++) {
        for (c = 0; c < columns; c++)
            to[r * columns + c] = from[c * in_stride + r];
    }
}

#undef ZC_ITEM
#undef ZC_D
#undef ZC_LANE
#undef ZC_WIDTH
#undef ZC_LARGE
