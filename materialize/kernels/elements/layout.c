/*
 * The kernels that transpose rectangles of elements, that copy lines, that store past the caches, and those of indices.
 * Elements are bytes here: one function per size.
 */
#include <string.h>

#include "materialize/kernels/elements/elements.h"
#include "materialize/kernels/templates/emit.h"

#define ZC_UNROLL _Pragma("GCC unroll 64")

enum { ZC_SMALL_BYTES = 16 };
#if defined(ZC_VECTOR_BYTES)
enum { ZC_LARGE_BYTES = ZC_VECTOR_BYTES };
#else
enum { ZC_LARGE_BYTES = ZC_SMALL_BYTES };
#endif

#define ZC_D     1
#define ZC_LANE  uint8_t
#define ZC_WIDTH 1
#define ZC_LARGE ZC_SMALL_BYTES
#include "materialize/kernels/templates/transpose_tmpl.h"
#define ZC_D     2
#define ZC_LANE  uint16_t
#define ZC_WIDTH 1
#define ZC_LARGE ZC_SMALL_BYTES
#include "materialize/kernels/templates/transpose_tmpl.h"
#define ZC_D     4
#define ZC_LANE  uint32_t
#define ZC_WIDTH 1
#define ZC_LARGE ZC_LARGE_BYTES
#include "materialize/kernels/templates/transpose_tmpl.h"
#define ZC_D     8
#define ZC_LANE  uint64_t
#define ZC_WIDTH 1
#define ZC_LARGE ZC_LARGE_BYTES
#include "materialize/kernels/templates/transpose_tmpl.h"
#define ZC_D     16
#define ZC_LANE  uint64_t
#define ZC_WIDTH 2
#define ZC_LARGE ZC_LARGE_BYTES
#include "materialize/kernels/templates/transpose_tmpl.h"

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
            zc_stream_vector(to + at + i, v);
        }
    }
    memcpy(to + at, from + at, bytes - at);
}
#else
static inline void stream_row(char *to, const char *from, size_t bytes)
{
    memcpy(to, from, bytes);
}
#endif

void ZC_KERNEL_OF_ALL(stream)(void *out, int64_t pitch, const void *in, size_t row_bytes, int64_t rows)
{
    for (int64_t r = 0; r < rows; r++)
        stream_row((char *)out + r * pitch, (const char *)in + (size_t)r * row_bytes, row_bytes);
}

void ZC_KERNEL_OF_ALL(fence)(void)
{
    zc_fence();
}

/* ---- Lines ---- */

/* In pieces of a size that is known where this is compiled; the last one overlaps the one before. */
static inline __attribute__((always_inline)) void copy_lines(const zc_lines *l, const size_t piece)
{
    const char *in = l->from;
    char *to = l->to;
    for (int64_t r = 0; r < l->count; r++, to += l->pitch) {
        const char *from = in + l->offset[r] * l->item;
        for (size_t i = 0; i + piece < l->bytes; i += piece)
            memcpy(to + i, from + i, piece);
        memcpy(to + l->bytes - piece, from + l->bytes - piece, piece);
    }
}

void ZC_KERNEL_OF_ALL(lines)(const zc_lines *l)
{
    if (l->bytes >= ZC_LARGE_BYTES)
        copy_lines(l, ZC_LARGE_BYTES);
    else if (l->bytes >= 16)
        copy_lines(l, 16);
    else if (l->bytes >= 8)
        copy_lines(l, 8);
    else if (l->bytes >= 4)
        copy_lines(l, 4);
    else
        copy_lines(l, 1);
}

/* ---- Indices ---- */

void ZC_KERNEL_OF_ALL(fill_index)(int64_t *out, int64_t first, int64_t stride, int64_t n)
{
    ZC_PARALLEL
    for (int64_t i = 0; i < n; i++)
        out[i] = first + i * stride;
}

bool ZC_KERNEL_OF_ALL(are_inside)(const int64_t *positions, int64_t extent, int64_t n)
{
    uint64_t outside = 0; /* whose uppermost bit counts: of a negative position, or of what is left behind it */
    ZC_PARALLEL
    for (int64_t i = 0; i < n; i++)
        outside |= (uint64_t)positions[i] | ((uint64_t)extent - 1 - (uint64_t)positions[i]);
    return outside >> 63 == 0;
}

bool ZC_KERNEL_OF_ALL(check_index)(int64_t *out, const int64_t *positions, int64_t extent, int64_t n)
{
    int64_t bad = 0;
    ZC_PARALLEL
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = positions[i] < 0 ? positions[i] + extent : positions[i];
        const bool is_inside = (at >= 0) & (at < extent);
        out[i] = is_inside ? at : 0;
        bad += !is_inside;
    }
    return bad == 0;
}
