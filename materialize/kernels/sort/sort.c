/*
 * The kernels that sort keys, where there are registers of them. Elsewhere there are none, and lines are sorted by
 * digits (sorting/sorter_tmpl.h).
 */
#include <string.h>

#include "materialize/kernels/sort/sort.h"
#include "materialize/kernels/templates/emit.h"

#if defined(ZC_KEYS_HEADER)
#include ZC_KEYS_HEADER

/* The numbers of a register's lanes, with each of which `f` is called. */
#define ZC_EACH_4(f, x)  f(0, x), f(1, x), f(2, x), f(3, x)
#define ZC_EACH_8(f, x)  ZC_EACH_4(f, x), f(4, x), f(5, x), f(6, x), f(7, x)
#define ZC_EACH_16(f, x) ZC_EACH_8(f, x), f(8, x), f(9, x), f(10, x), f(11, x), f(12, x), f(13, x), f(14, x), f(15, x)

#define ZC_D     uint32
#define ZC_T     int32_t
#define ZC_WIDTH 32
#define ZC_LANES ZC_LANES_32
#include "materialize/kernels/sort/sort_tmpl.h"
#define ZC_D     uint64
#define ZC_T     int64_t
#define ZC_WIDTH 64
#define ZC_LANES ZC_LANES_64
#include "materialize/kernels/sort/sort_tmpl.h"
#endif
