/*
 * The lanes that reductions are summed in, as vectors: ZC_LANES of them a row (numerics contract). Macros that speak of
 * a dtype mean ZC_T and ZC_D at the place of expansion.
 *
 * Neighbouring rows lie in four vectors side by side: a single one would wait for each addition to end. Where lanes
 * take several vectors there are fewer rows, and where they take more than four, two turns.
 */
#ifndef ZC_MATERIALIZE_KERNELS_TEMPLATES_LANES_H
#define ZC_MATERIALIZE_KERNELS_TEMPLATES_LANES_H

#if defined(ZC_VECTOR_BYTES)
#define ZC_LANE_BYTES ZC_VECTOR_BYTES
#else
#define ZC_LANE_BYTES 16
#endif
#define ZC_LANE_VECTOR ZC_FN(lane_vector)
#define ZC_PER_VECTOR  ((int)(sizeof(ZC_LANE_VECTOR) / sizeof(ZC_T)))
#define ZC_VECTORS     (ZC_LANES / ZC_PER_VECTOR) /* vectors that the lanes of a row take */
#define ZC_ROWS        (ZC_VECTORS < 4 ? 4 / ZC_VECTORS : 1)
#define ZC_TURNS       (ZC_VECTORS < 4 ? 1 : ZC_VECTORS / 4)

/* Lanes of inner products at a time: of one vector, each product would wait for the one before. */
#define ZC_INNER_LANES_OF(bytes) (ZC_LANE_BYTES < 64 || (bytes) > 8 ? ZC_CONTRACT_LANES : ZC_INNER_LANES)

/* Length from which on rows are joined one after the other, from front to back, which memory is fastest at. A join that
 * takes one instruction does not wait for itself there: the processor has begun the next row by then. Extremes take
 * several. */
enum { ZC_LONG_ROW = 512 };

#define ZC_EACH_VECTOR(m) m(0) m(1) m(2) m(3)
#define ZC_VECTOR_BEGIN(k)                                                                                             \
    const ZC_T *v##k = v + (k) / ZC_VECTORS * length + (k) % ZC_VECTORS * ZC_PER_VECTOR;                               \
    ZC_LANE_VECTOR acc##k;                                                                                             \
    memcpy(&acc##k, lanes + (k)*ZC_PER_VECTOR, sizeof acc##k);
#define ZC_VECTOR_JOIN(k)                                                                                              \
    if ((k) < vectors) {                                                                                               \
        ZC_T x[ZC_PER_VECTOR];                                                                                         \
        memcpy(x, &acc##k, sizeof x);                                                                                  \
        ZC_AS_LOOP for (int l = 0; l < ZC_PER_VECTOR; l++) x[l] = (ZC_T)(ZC_COMBINE(x[l], ZC_READ(v##k[i + l])));      \
        memcpy(&acc##k, x, sizeof x);                                                                                  \
    }
#define ZC_VECTOR_END(k)                                                                                               \
    if ((k) < vectors)                                                                                                 \
        memcpy(lanes + (k)*ZC_PER_VECTOR, &acc##k, sizeof acc##k);

/* Several rows of a lane at a time, so that the lanes are read and written less often than the elements. */
#define ZC_ROW_BEGIN(r) const ZC_T *row##r = (const void *)(row + (r)*step);
#define ZC_ROW_JOIN(r)  x = (ZC_T)(ZC_COMBINE(x, ZC_READ(row##r[i])));
#define ZC_ROWS_1(m)    m(0)
#define ZC_ROWS_4(m)    m(0) m(1) m(2) m(3)
#define ZC_ROWS_8(m)    ZC_ROWS_4(m) m(4) m(5) m(6) m(7)
#define ZC_JOIN_ROWS(count)                                                                                            \
    for (; left >= (count); left -= (count), row += (count)*step) {                                                    \
        ZC_ROWS_##count(ZC_ROW_BEGIN) ZC_PARALLEL for (int64_t i = 0; i < columns; i++)                                \
        {                                                                                                              \
            ZC_T x = ZC_READ(acc[i]);                                                                                  \
            ZC_ROWS_##count(ZC_ROW_JOIN) acc[i] = x;                                                                   \
        }                                                                                                              \
    }

/* Each half by itself: of a loop over halves, compilers make branches. */
#define ZC_FOLD_LANES(half)                                                                                            \
    ZC_AS_LOOP for (int l = 0; l < (half); l++) lanes[l] = (ZC_T)(ZC_COMBINE(lanes[l], lanes[l + (half)]));

#endif
