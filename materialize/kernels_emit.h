/*
 * How a row of ops.def or reductions.def becomes a kernel: the macros that kernels_dtype_tmpl.c expands for each dtype.
 * They speak of ZC_T, ZC_D, ZC_READ, ZC_WRITE and ZC_IS_NAN, which mean the dtype at the place of expansion.
 */
#ifndef ZC_MATERIALIZE_KERNELS_EMIT_H
#define ZC_MATERIALIZE_KERNELS_EMIT_H

/* PARALLEL: the loops carry no dependence, and out may equal an operand. AS_LOOP: GCC makes vectors of short loops only
 * while they are loops. */
#if defined(__clang__)
#define ZC_PARALLEL _Pragma("clang loop vectorize(assume_safety)")
#define ZC_SPELT_OUT
#define ZC_AS_LOOP
#else
#define ZC_PARALLEL  _Pragma("GCC ivdep")
#define ZC_SPELT_OUT _Pragma("GCC unroll 8")
#define ZC_AS_LOOP   _Pragma("GCC unroll 1")
#endif

#define ZC_JOIN_(a, b) a##_##b
#define ZC_JOIN(a, b)  ZC_JOIN_(a, b)
#define ZC_FN(f)       ZC_JOIN(f, ZC_D)
#define ZC_E(f)        ZC_FN(f)

/* ---- Elementwise ---- */

#define ZC_OPERANDS_1(type)                                                                                            \
    const type *px = in_x;                                                                                             \
    (void)in_y, (void)in_z;
#define ZC_OPERANDS_2(type)                                                                                            \
    const type *px = in_x;                                                                                             \
    const type *py = in_y;                                                                                             \
    (void)in_z;
#define ZC_OPERANDS_3(type)                                                                                            \
    const type *px = in_x;                                                                                             \
    const type *py = in_y;                                                                                             \
    const type *pz = in_z;
#define ZC_ELEMENTS_1(type) const type x = ZC_READ(px[i]);
#define ZC_ELEMENTS_2(type) ZC_ELEMENTS_1(type) const type y = ZC_READ(py[i]);
#define ZC_ELEMENTS_3(type) ZC_ELEMENTS_2(type) const type z = ZC_READ(pz[i]);

#define ZC_RESULT_TYPE_SAME ZC_T
#define ZC_RESULT_TYPE_BOOL uint8_t
#define ZC_RESULT_TYPE_REAL ZC_PART_T
#define ZC_STORE_SAME(v)    ZC_WRITE(v)
#define ZC_STORE_BOOL(v)    ((uint8_t)((v) != 0))
#define ZC_STORE_REAL(v)    (v)

#define ZC_EMIT(name, arity, result, meaning)                                                                          \
    static void ZC_FN(map_##name)(void *out, const void *in_x, const void *in_y, const void *in_z, int64_t n)          \
    {                                                                                                                  \
        ZC_RESULT_TYPE_##result *to = out;                                                                             \
        ZC_OPERANDS_##arity(ZC_T) ZC_PARALLEL for (int64_t i = 0; i < n; i++)                                          \
        {                                                                                                              \
            ZC_ELEMENTS_##arity(ZC_T) to[i] = ZC_STORE_##result(meaning);                                              \
        }                                                                                                              \
    }
#define ZC_EMIT_SELECT(name, meaning)                                                                                  \
    static void ZC_FN(map_##name)(void *out, const void *in_x, const void *in_y, const void *in_z, int64_t n)          \
    {                                                                                                                  \
        ZC_T *to = out;                                                                                                \
        const uint8_t *px = in_x;                                                                                      \
        const ZC_T *py = in_y, *pz = in_z;                                                                             \
        ZC_PARALLEL for (int64_t i = 0; i < n; i++)                                                                    \
        {                                                                                                              \
            const uint8_t x = px[i] != 0;                                                                              \
            const ZC_T y = ZC_READ(py[i]), z = ZC_READ(pz[i]);                                                         \
            to[i] = ZC_WRITE(meaning);                                                                                 \
        }                                                                                                              \
    }

/* Blocks without a far element take the function that has no branches. */
#define ZC_ANGLE_BLOCK 256
#define ZC_EMIT_ANGLE(name, meaning)                                                                                   \
    static void ZC_FN(map_##name)(void *out, const void *in_x, const void *in_y, const void *in_z, int64_t n)          \
    {                                                                                                                  \
        ZC_T *to = out;                                                                                                \
        ZC_OPERANDS_1(ZC_T)                                                                                            \
        for (int64_t begin = 0, end; begin < n; begin = end) {                                                         \
            int far = 0;                                                                                               \
            end = n - begin < ZC_ANGLE_BLOCK ? n : begin + ZC_ANGLE_BLOCK;                                             \
            for (int64_t i = begin; i < end; i++)                                                                      \
                far |= ZC_FN(is_far)(px[i]);                                                                           \
            for (int64_t i = begin; far && i < end; i++) {                                                             \
                ZC_ELEMENTS_1(ZC_T) to[i] = ZC_WRITE(meaning);                                                         \
            }                                                                                                          \
            ZC_PARALLEL for (int64_t i = far ? end : begin; i < end; i++)                                              \
            {                                                                                                          \
                ZC_ELEMENTS_1(ZC_T) to[i] = ZC_WRITE(ZC_FN(near_##name)(x));                                           \
            }                                                                                                          \
        }                                                                                                              \
    }

/* Of complex elements, by the column that says what they give. */
#define ZC_EMIT_COMPLEX(name, arity, complex, meaning) ZC_EMIT_COMPLEX_##complex(name, arity, meaning)
#define ZC_EMIT_COMPLEX_SAME(name, arity, meaning)     ZC_EMIT(name, arity, SAME, meaning)
#define ZC_EMIT_COMPLEX_BOOL(name, arity, meaning)     ZC_EMIT(name, arity, BOOL, meaning)
#define ZC_EMIT_COMPLEX_REAL(name, arity, meaning)     ZC_EMIT(name, arity, REAL, meaning)
#define ZC_EMIT_COMPLEX_NO(name, arity, meaning)

/* Every dtype has these; what the other domains hold is said in kernels_dtype_tmpl.c. */
#define ZC_OP_IN_ANY(name, arity, result, complex, meaning)    ZC_EMIT(name, arity, result, meaning)
#define ZC_OP_IN_SELECT(name, arity, result, complex, meaning) ZC_EMIT_SELECT(name, meaning)

/* From the dtype FROM, where an element x is the number `value`. */
#define ZC_CAST_ELEMENT(FROM, TO, to, type, x) ZC_CONVERT(FROM, TO, to, type, x)
#define ZC_EMIT_CAST(FROM, from_type, FROM_KIND, value)                                                                \
    static void ZC_JOIN(ZC_FN(cast), FROM)(void *out, const void *in_x, const void *in_y, const void *in_z, int64_t n) \
    {                                                                                                                  \
        ZC_T *to = out;                                                                                                \
        const from_type *from = in_x;                                                                                  \
        (void)in_y, (void)in_z;                                                                                        \
        ZC_PARALLEL for (int64_t i = 0; i < n; i++)                                                                    \
        {                                                                                                              \
            const from_type x = from[i];                                                                               \
            to[i] = ZC_CAST_ELEMENT(FROM_KIND, ZC_KIND, ZC_D, ZC_T, value);                                            \
        }                                                                                                              \
    }

/* ---- Reductions ---- */

/* Joining two partial results is the row's combine operation on the elements. */
#define ZC_COMBINE_ADD(x, y)         ((x) + (y))
#define ZC_COMBINE_MULTIPLY(x, y)    ZC_TIMES(x, y)
#define ZC_COMBINE_MAXIMUM(x, y)     ZC_FN(maximum)(x, y)
#define ZC_COMBINE_MINIMUM(x, y)     ZC_FN(minimum)(x, y)
#define ZC_COMBINE_LOGICAL_OR(x, y)  ((x) | (y))
#define ZC_COMBINE_LOGICAL_AND(x, y) ((x) & (y))

/* The lanes of neighbouring rows in four vectors, side by side: a single one would wait for each addition to end. Where
 * lanes take several vectors there are fewer rows, and where they take more than four, two turns. */
#if defined(ZC_VECTOR_BYTES)
#define ZC_LANE_BYTES ZC_VECTOR_BYTES
#else
#define ZC_LANE_BYTES 16
#endif
#define ZC_LANE_VECTOR ZC_FN(lane_vector)
#define ZC_PER_VECTOR  ((int)(sizeof(ZC_LANE_VECTOR) / sizeof(ZC_T)))
#define ZC_VECTORS     (ZC_LANES / ZC_PER_VECTOR) /* that the lanes of a row take */
#define ZC_ROWS        (ZC_VECTORS < 4 ? 4 / ZC_VECTORS : 1)
#define ZC_TURNS       (ZC_VECTORS < 4 ? 1 : ZC_VECTORS / 4)

#define ZC_EACH_VECTOR(m, combine) m(0, combine) m(1, combine) m(2, combine) m(3, combine)
#define ZC_VECTOR_BEGIN(k, combine)                                                                                    \
    const ZC_T *v##k = v + (k) / ZC_VECTORS * length + (k) % ZC_VECTORS * ZC_PER_VECTOR;                               \
    ZC_LANE_VECTOR acc##k;                                                                                             \
    memcpy(&acc##k, lanes + (k)*ZC_PER_VECTOR, sizeof acc##k);
#define ZC_VECTOR_JOIN(k, combine)                                                                                     \
    if ((k) < vectors) {                                                                                               \
        ZC_T x[ZC_PER_VECTOR];                                                                                         \
        memcpy(x, &acc##k, sizeof x);                                                                                  \
        ZC_AS_LOOP for (int l = 0; l < ZC_PER_VECTOR; l++) x[l] =                                                      \
            ZC_WRITE(ZC_COMBINE_##combine(x[l], ZC_READ(v##k[i + l])));                                                \
        memcpy(&acc##k, x, sizeof x);                                                                                  \
    }
#define ZC_VECTOR_END(k, combine)                                                                                      \
    if ((k) < vectors)                                                                                                 \
        memcpy(lanes + (k)*ZC_PER_VECTOR, &acc##k, sizeof acc##k);

/* What takes one instruction does not wait for itself in long rows: the processor has begun the next row by then. So
 * they are read one after the other, from front to back, which is what memory is fastest at. Extremes take several. */
enum { ZC_LONG_ROW = 512 };
#define ZC_IS_QUICK_ADD         1
#define ZC_IS_QUICK_MULTIPLY    1
#define ZC_IS_QUICK_MAXIMUM     0
#define ZC_IS_QUICK_MINIMUM     0
#define ZC_IS_QUICK_LOGICAL_OR  1
#define ZC_IS_QUICK_LOGICAL_AND 1

/* Several rows of a lane at a time, so that the lanes are read and written less often than the elements. */
#define ZC_ROW_BEGIN(r, combine) const ZC_T *row##r = (const void *)(row + (r)*step);
#define ZC_ROW_JOIN(r, combine)  x = ZC_WRITE(ZC_COMBINE_##combine(x, ZC_READ(row##r[i])));
#define ZC_ROWS_1(m, combine)    m(0, combine)
#define ZC_ROWS_4(m, combine)    m(0, combine) m(1, combine) m(2, combine) m(3, combine)
#define ZC_ROWS_8(m, combine)    ZC_ROWS_4(m, combine) m(4, combine) m(5, combine) m(6, combine) m(7, combine)
#define ZC_JOIN_ROWS(count, combine)                                                                                   \
    for (; left >= (count); left -= (count), row += (count)*step) {                                                    \
        ZC_ROWS_##count(ZC_ROW_BEGIN, combine) ZC_PARALLEL for (int64_t i = 0; i < columns; i++)                       \
        {                                                                                                              \
            ZC_T x = acc[i];                                                                                           \
            ZC_ROWS_##count(ZC_ROW_JOIN, combine) acc[i] = x;                                                          \
        }                                                                                                              \
    }

/* Each half by itself: of a loop over halves, compilers make branches. */
#define ZC_FOLD_LANES(half, combine)                                                                                   \
    ZC_AS_LOOP for (int l = 0; l < (half); l++) lanes[l] = ZC_WRITE(ZC_COMBINE_##combine(lanes[l], lanes[l + (half)]));

#define ZC_EMIT_RUN(name, combine)                                                                                     \
    static inline void ZC_FN(join_lanes_##name)(ZC_T *restrict acc, const ZC_T *v, int64_t n)                          \
    {                                                                                                                  \
        for (int64_t i = 0; i < n; i += ZC_LANES)                                                                      \
            for (int l = 0; l < ZC_LANES; l++)                                                                         \
                acc[l] = ZC_WRITE(ZC_COMBINE_##combine(acc[l], ZC_READ(v[i + l])));                                    \
    }                                                                                                                  \
    static void ZC_FN(run_##name)(void *lanes, const void *elements, int64_t n)                                        \
    {                                                                                                                  \
        ZC_T acc[ZC_LANES];                                                                                            \
        memcpy(acc, lanes, sizeof acc);                                                                                \
        ZC_FN(join_lanes_##name)(acc, elements, n);                                                                    \
        memcpy(lanes, acc, sizeof acc);                                                                                \
    }                                                                                                                  \
    static void ZC_FN(tree_##name)(void *values, int64_t n)                                                            \
    {                                                                                                                  \
        ZC_T *v = values;                                                                                              \
        for (; n > 1; n /= 2)                                                                                          \
            for (int64_t i = 0; i < n / 2; i++)                                                                        \
                v[i] = ZC_WRITE(ZC_COMBINE_##combine(v[2 * i], v[2 * i + 1]));                                         \
    }                                                                                                                  \
    static void ZC_FN(columns_##name)(void *lanes, const void *elements, int64_t pitch, int64_t columns, int64_t rows) \
    {                                                                                                                  \
        const int64_t step = ZC_LANES * pitch;                                                                         \
        ZC_T *acc = lanes;                                                                                             \
        for (int64_t l = 0; l < ZC_LANES; l++, acc += columns) {                                                       \
            const char *row = (const char *)elements + l * pitch;                                                      \
            int64_t left = (rows - l + ZC_LANES - 1) / ZC_LANES;                                                       \
            ZC_JOIN_ROWS(8, combine)                                                                                   \
            ZC_JOIN_ROWS(4, combine)                                                                                   \
            ZC_JOIN_ROWS(1, combine)                                                                                   \
        }                                                                                                              \
    }                                                                                                                  \
    /* vectors: as many as one row has, or four. */                                                                    \
    static inline __attribute__((always_inline)) void ZC_FN(join_vectors_##name)(                                      \
        ZC_T * lanes, const ZC_T *v, int64_t length, int64_t whole, const int vectors)                                 \
    {                                                                                                                  \
        enum { ROUNDS = 8 * ZC_LANES };                                                                                \
        ZC_EACH_VECTOR(ZC_VECTOR_BEGIN, combine)                                                                       \
        int64_t begin = 0;                                                                                             \
        for (; begin <= whole - ROUNDS; begin += ROUNDS) {                                                             \
            ZC_SPELT_OUT for (int64_t i = begin; i < begin + ROUNDS; i += ZC_LANES)                                    \
            {                                                                                                          \
                ZC_EACH_VECTOR(ZC_VECTOR_JOIN, combine)                                                                \
            }                                                                                                          \
        }                                                                                                              \
        for (int64_t i = begin; i < whole; i += ZC_LANES) {                                                            \
            ZC_EACH_VECTOR(ZC_VECTOR_JOIN, combine)                                                                    \
        }                                                                                                              \
        ZC_EACH_VECTOR(ZC_VECTOR_END, combine)                                                                         \
    }                                                                                                                  \
    /* The elements that fill no lanes, and then all lanes of a row. */                                                \
    static inline ZC_T ZC_FN(fold_##name)(ZC_T * lanes, const ZC_T *rest, int64_t count)                               \
    {                                                                                                                  \
        for (int64_t i = 0; i < count; i++)                                                                            \
            lanes[i] = ZC_WRITE(ZC_COMBINE_##combine(lanes[i], ZC_READ(rest[i])));                                     \
        ZC_FOLD_LANES(8, combine)                                                                                      \
        ZC_FOLD_LANES(4, combine) ZC_FOLD_LANES(2, combine) ZC_FOLD_LANES(1, combine) return lanes[0];                 \
    }                                                                                                                  \
    static void ZC_FN(rows_##name)(void *out, const void *elements, int64_t length, int64_t rows, const void *padding) \
    {                                                                                                                  \
        const ZC_T *v = elements, pad = *(const ZC_T *)padding;                                                        \
        const int64_t whole = length / ZC_LANES * ZC_LANES;                                                            \
        ZC_T *to = out;                                                                                                \
        while (rows > 0) {                                                                                             \
            _Alignas(ZC_LANE_BYTES) ZC_T lanes[ZC_ROWS * ZC_LANES];                                                    \
            const bool is_alone = rows < ZC_ROWS || (ZC_IS_QUICK_##combine && length >= ZC_LONG_ROW);                  \
            const int count = is_alone ? 1 : ZC_ROWS;                                                                  \
            for (int l = 0; l < ZC_ROWS * ZC_LANES; l++)                                                               \
                lanes[l] = pad;                                                                                        \
            for (int turn = 0; turn < ZC_TURNS; turn++) {                                                              \
                ZC_T *turns = lanes + turn * 4 * ZC_PER_VECTOR;                                                        \
                if (ZC_VECTORS < 4 && is_alone)                                                                        \
                    ZC_FN(join_vectors_##name)(turns, v, length, whole, ZC_VECTORS);                                   \
                else                                                                                                   \
                    ZC_FN(join_vectors_##name)(turns, v + turn * 4 * ZC_PER_VECTOR, length, whole, 4);                 \
            }                                                                                                          \
            for (int r = 0; r < count; r++)                                                                            \
                *to++ = ZC_FN(fold_##name)(lanes + r * ZC_LANES, v + r * length + whole, length - whole);              \
            v += count * length;                                                                                       \
            rows -= count;                                                                                             \
        }                                                                                                              \
    }

#define ZC_RUN_IN_SAME(name, combine) ZC_EMIT_RUN(name, combine)

#define ZC_EMIT_SCAN(name, combine)                                                                                    \
    static void ZC_FN(name)(void *out, void *carry, const void *elements, int64_t n)                                   \
    {                                                                                                                  \
        ZC_T *to = out, joined = *(ZC_T *)carry;                                                                       \
        const ZC_T *v = elements;                                                                                      \
        for (int64_t i = 0; i < n; i++)                                                                                \
            to[i] = joined = (ZC_T)ZC_COMBINE_##combine(joined, v[i]);                                                 \
        *(ZC_T *)carry = joined;                                                                                       \
    }

#define ZC_EMIT_EXTREME(name, before)                                                                                  \
    static void ZC_FN(name)(void *best, int64_t *best_row, const void *elements, int64_t row, int64_t n)               \
    {                                                                                                                  \
        ZC_T *extreme = best;                                                                                          \
        const ZC_T *v = elements;                                                                                      \
        ZC_PARALLEL for (int64_t i = 0; i < n; i++)                                                                    \
        {                                                                                                              \
            const ZC_T x = ZC_READ(v[i]), y = extreme[i];                                                              \
            const int takes = (x before y) | (ZC_IS_NAN(x) & !ZC_IS_NAN(y));                                           \
            extreme[i] = takes ? x : y;                                                                                \
            best_row[i] = takes ? row : best_row[i];                                                                   \
        }                                                                                                              \
    }

#endif
