/*
 * The reductions of one dtype that combine in one way. Included by dtype_tmpl.h with ZC_COMBINE_NAME its row of
 * ops.def, ZC_COMBINE(x, y) what it gives, and ZC_IS_QUICK whether that is one instruction. Undefines them. Of bools,
 * lanes are 0 or 1, and so is what is joined to them.
 */
#define ZC_REDUCE(f) ZC_JOIN(f, ZC_COMBINE_NAME)

void ZC_KERNEL(ZC_REDUCE(run))(void *lanes, const void *elements, int64_t n)
{
    const ZC_T *v = elements;
    ZC_T acc[ZC_LANES];
    memcpy(acc, lanes, sizeof acc);
    for (int64_t i = 0; i < n; i += ZC_LANES)
        for (int l = 0; l < ZC_LANES; l++)
            acc[l] = (ZC_T)(ZC_COMBINE(acc[l], ZC_READ(v[i + l])));
    memcpy(lanes, acc, sizeof acc);
}

void ZC_KERNEL(ZC_REDUCE(tree))(void *values, int64_t n)
{
    ZC_T *v = values;
    for (; n > 1; n /= 2)
        for (int64_t i = 0; i < n / 2; i++)
            v[i] = (ZC_T)(ZC_COMBINE(v[2 * i], v[2 * i + 1]));
}

void ZC_KERNEL(ZC_REDUCE(columns))(void *lanes, const void *elements, int64_t pitch, int64_t columns, int64_t rows)
{
    const int64_t step = ZC_LANES * pitch;
    ZC_T *acc = lanes;
    for (int64_t l = 0; l < ZC_LANES; l++, acc += columns) {
        const char *row = (const char *)elements + l * pitch;
        int64_t left = (rows - l + ZC_LANES - 1) / ZC_LANES;
        ZC_JOIN_ROWS(8)
        ZC_JOIN_ROWS(4)
        ZC_JOIN_ROWS(1)
    }
}

/* vectors: as many as one row has, or four. */
ZC_ALWAYS_INLINE void ZC_FN(ZC_REDUCE(join_vectors))(ZC_T *lanes, const ZC_T *v, int64_t length, int64_t whole,
                                                     const int vectors)
{
    enum { ROUNDS = 8 * ZC_LANES };
    ZC_EACH_VECTOR(ZC_VECTOR_BEGIN)
    int64_t begin = 0;
    for (; begin <= whole - ROUNDS; begin += ROUNDS) {
        ZC_SPELT_OUT
        for (int64_t i = begin; i < begin + ROUNDS; i += ZC_LANES) {
            ZC_EACH_VECTOR(ZC_VECTOR_JOIN)
        }
    }
    for (int64_t i = begin; i < whole; i += ZC_LANES) {
        ZC_EACH_VECTOR(ZC_VECTOR_JOIN)
    }
    ZC_EACH_VECTOR(ZC_VECTOR_END)
}

/* The elements that fill no lanes, and then all lanes of a row. */
static inline ZC_T ZC_FN(ZC_REDUCE(fold))(ZC_T *lanes, const ZC_T *rest, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        lanes[i] = (ZC_T)(ZC_COMBINE(lanes[i], ZC_READ(rest[i])));
    ZC_FOLD_LANES(8)
    ZC_FOLD_LANES(4)
    ZC_FOLD_LANES(2)
    ZC_FOLD_LANES(1)
    return lanes[0];
}

void ZC_KERNEL(ZC_REDUCE(rows))(void *out, const void *elements, int64_t length, int64_t rows, const void *padding)
{
    const ZC_T *v = elements, pad = *(const ZC_T *)padding;
    const int64_t whole = length / ZC_LANES * ZC_LANES;
    ZC_T *to = out;
    while (rows > 0) {
        _Alignas(ZC_LANE_BYTES) ZC_T lanes[ZC_ROWS * ZC_LANES];
        const bool is_alone = rows < ZC_ROWS || (ZC_IS_QUICK && length >= ZC_LONG_ROW);
        const int count = is_alone ? 1 : ZC_ROWS;
        for (int l = 0; l < ZC_ROWS * ZC_LANES; l++)
            lanes[l] = pad;
        for (int turn = 0; turn < ZC_TURNS; turn++) {
            ZC_T *turns = lanes + turn * 4 * ZC_PER_VECTOR;
            if (ZC_VECTORS < 4 && is_alone)
                ZC_FN(ZC_REDUCE(join_vectors))(turns, v, length, whole, ZC_VECTORS);
            else
                ZC_FN(ZC_REDUCE(join_vectors))(turns, v + turn * 4 * ZC_PER_VECTOR, length, whole, 4);
        }
        for (int r = 0; r < count; r++)
            *to++ = ZC_FN(ZC_REDUCE(fold))(lanes + r * ZC_LANES, v + r * length + whole, length - whole);
        v += count * length;
        rows -= count;
    }
}

#undef ZC_REDUCE
#undef ZC_COMBINE_NAME
#undef ZC_COMBINE
#undef ZC_IS_QUICK
