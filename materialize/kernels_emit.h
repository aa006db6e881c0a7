/*
 * How a row of ops.def or reductions.def becomes a kernel: the macros that kernels_dtype_tmpl.c expands for each dtype.
 * They speak of ZC_T, ZC_D, ZC_READ, ZC_WRITE and ZC_IS_NAN, which mean the dtype at the place of expansion.
 */
#ifndef ZC_MATERIALIZE_KERNELS_EMIT_H
#define ZC_MATERIALIZE_KERNELS_EMIT_H

/* The loops carry no dependence, and out may equal an operand. */
#if defined(__clang__)
#define ZC_PARALLEL _Pragma("clang loop vectorize(assume_safety)")
#else
#define ZC_PARALLEL _Pragma("GCC ivdep")
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
    static void ZC_FN(rows_##name)(void *out, const void *elements, int64_t length, int64_t rows, const void *padding) \
    {                                                                                                                  \
        const ZC_T *v = elements;                                                                                      \
        ZC_T *to = out;                                                                                                \
        const int64_t whole = length / ZC_LANES * ZC_LANES;                                                            \
        for (int64_t row = 0; row < rows; row++, v += length) {                                                        \
            ZC_T acc[ZC_LANES];                                                                                        \
            for (int l = 0; l < ZC_LANES; l++)                                                                         \
                acc[l] = *(const ZC_T *)padding;                                                                       \
            ZC_FN(join_lanes_##name)(acc, v, whole);                                                                   \
            for (int64_t i = whole; i < length; i++)                                                                   \
                acc[i - whole] = ZC_WRITE(ZC_COMBINE_##combine(acc[i - whole], ZC_READ(v[i])));                        \
            for (int half = ZC_LANES / 2; half > 0; half /= 2)                                                         \
                for (int l = 0; l < half; l++)                                                                         \
                    acc[l] = ZC_WRITE(ZC_COMBINE_##combine(acc[l], acc[l + half]));                                    \
            to[row] = acc[0];                                                                                          \
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
