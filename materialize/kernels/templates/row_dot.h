/* The parts of the loops of row_dot_tmpl.h, which keep every sum in a variable of its own. */
#ifndef ZC_MATERIALIZE_KERNELS_TEMPLATES_ROW_DOT_H
#define ZC_MATERIALIZE_KERNELS_TEMPLATES_ROW_DOT_H

#include "materialize/kernels/templates/lanes.h"

/* As many rows at a time as there are registers for. */
#if ZC_LANE_BYTES == 64
#define ZC_DOT_EACH_ROW(m) m(0) m(1) m(2) m(3)
enum { ZC_DOT_ROWS = 4 };
#else
#define ZC_DOT_EACH_ROW(m) m(0) m(1)
enum { ZC_DOT_ROWS = 2 };
#endif
#define ZC_DOT_EACH_COLUMN(m, r) m(r, 0) m(r, 1) m(r, 2) m(r, 3)

#define ZC_DOT_BEGIN(r, c)  ZC_LANE_VECTOR sum_##r##_##c = begin;
#define ZC_DOT_BEGIN_ROW(r) ZC_DOT_EACH_COLUMN(ZC_DOT_BEGIN, r)
#define ZC_DOT_LOAD_X(r)                                                                                               \
    ZC_LANE_VECTOR x##r;                                                                                               \
    memcpy(&x##r, (const ZC_T *)x[first + (r)] + i + lane, sizeof x##r);
#define ZC_DOT_LOAD_Y(r, c)                                                                                            \
    ZC_LANE_VECTOR y##c;                                                                                               \
    memcpy(&y##c, (const ZC_T *)y[c] + i + lane, sizeof y##c);
#define ZC_DOT_ADD(r, c)  sum_##r##_##c += ZC_TERM(x##r, y##c);
#define ZC_DOT_ADD_ROW(r) ZC_DOT_EACH_COLUMN(ZC_DOT_ADD, r)
#define ZC_DOT_END(r, c)                                                                                               \
    memcpy(lanes[(first + (r)) * ZC_DOT_BLOCK_ROWS + (c)] + lane, &sum_##r##_##c, sizeof sum_##r##_##c);
#define ZC_DOT_END_ROW(r) ZC_DOT_EACH_COLUMN(ZC_DOT_END, r)

#define ZC_EACH_LANE(m) m(0) m(1) m(2) m(3) m(4) m(5) m(6) m(7) m(8) m(9) m(10) m(11) m(12) m(13) m(14) m(15)
#define ZC_PANEL_OF(l)                                                                                                 \
    case (l) + 1:                                                                                                      \
        ZC_DOT(panel_sums)(out, x, panel, (l) + 1, others);                                                            \
        break;
/* An address that moves on: compilers would rather keep sixteen, of which some are always in memory. */
#define ZC_PANEL_NEXT                                                                                                  \
    y += others;                                                                                                       \
    __asm__("" : "+r"(y));
#define ZC_PANEL_BEGIN(l)                                                                                              \
    ZC_LANE_VECTOR t##l = {0};                                                                                         \
    if ((l) < length)                                                                                                  \
        t##l = ZC_DOT(panel_term)(a[l], y);                                                                            \
    ZC_PANEL_NEXT
#define ZC_PANEL_ADD(l)                                                                                                \
    if (i + (l) < length)                                                                                              \
        t##l += ZC_DOT(panel_term)(a[i + (l)], y);                                                                     \
    ZC_PANEL_NEXT
#define ZC_PANEL_FOLD(l, upper)                                                                                        \
    if ((upper) < length)                                                                                              \
        t##l += t##upper;

#endif
