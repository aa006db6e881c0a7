/*
 * Moves elements of one size without looking at them. Included by move.c with ZC_D the name of the dtype that stands
 * for those of its size, and ZC_T a type that may be any of them. Undefines both.
 */
void ZC_KERNEL(map_copy)(ZC_MAP_PARAMETERS)
{
    (void)in_y, (void)in_z;
    if (out != in_x)
        memcpy(out, in_x, (size_t)n * sizeof(ZC_T));
}

/* Inlined where the stride is a constant, compilers make it a few wide loads and shuffles. */
ZC_ALWAYS_INLINE void ZC_FN(pack_by)(ZC_T *to, const ZC_T *from, int64_t stride, int64_t n)
{
    ZC_PARALLEL
    for (int64_t i = 0; i < n; i++)
        to[i] = from[i * stride];
}

void ZC_KERNEL(pack)(void *out, const void *in, int64_t stride, int64_t n)
{
    switch (stride) {
    case 0:
        ZC_FN(pack_by)(out, in, 0, n);
        break;
    case -1:
        ZC_FN(pack_by)(out, in, -1, n);
        break;
    case 2:
        ZC_FN(pack_by)(out, in, 2, n);
        break;
    case 3:
        ZC_FN(pack_by)(out, in, 3, n);
        break;
    case 4:
        ZC_FN(pack_by)(out, in, 4, n);
        break;
    default:
        ZC_FN(pack_by)(out, in, stride, n);
        break;
    }
}

/* Inlined where the columns are a constant, a row is a store or two. */
ZC_ALWAYS_INLINE void ZC_FN(spread_over)(ZC_T *to, const ZC_T *from, int64_t stride, int64_t rows, int64_t columns)
{
    for (int64_t r = 0; r < rows; r++) {
        const ZC_T element = from[r * stride];
        ZC_PARALLEL
        for (int64_t c = 0; c < columns; c++)
            to[r * columns + c] = element;
    }
}

void ZC_KERNEL(spread)(void *out, const void *in, int64_t stride, int64_t rows, int64_t columns)
{
    switch (columns) {
    case 2:
        ZC_FN(spread_over)(out, in, stride, rows, 2);
        break;
    case 3:
        ZC_FN(spread_over)(out, in, stride, rows, 3);
        break;
    case 4:
        ZC_FN(spread_over)(out, in, stride, rows, 4);
        break;
    case 8:
        ZC_FN(spread_over)(out, in, stride, rows, 8);
        break;
    case 16:
        ZC_FN(spread_over)(out, in, stride, rows, 16);
        break;
    case 32:
        ZC_FN(spread_over)(out, in, stride, rows, 32);
        break;
    case 64:
        ZC_FN(spread_over)(out, in, stride, rows, 64);
        break;
    default:
        ZC_FN(spread_over)(out, in, stride, rows, columns);
        break;
    }
}

void ZC_KERNEL(unpack)(void *out, const void *in, int64_t stride, int64_t n)
{
    ZC_T *to = out;
    const ZC_T *from = in;
    for (int64_t i = 0; i < n; i++)
        to[i * stride] = from[i];
}

/* The elements of a run at positions. One by one: no vector instruction that gathers is faster on every machine. */
static inline void ZC_FN(gather_run)(ZC_T *to, const ZC_T *from, const int64_t *position, int64_t n)
{
    _Pragma("GCC unroll 4") for (int64_t i = 0; i < n; i++) to[i] = from[position[i]];
}

void ZC_KERNEL(gather)(void *out, const void *in, int64_t stride, const zc_gather_offsets *picks, int64_t n)
{
    ZC_T *to = out;
    const ZC_T *from = in;
    const int64_t *x = picks->position[0], *y = picks->position[1], *z = picks->position[2];
    const int64_t sx = picks->stride[0], sy = picks->stride[1], sz = picks->stride[2];
    switch (picks->count) {
    case 1:
        if (stride == 0 && sx == 1) {
            ZC_FN(gather_run)(to, from, x, n);
            break;
        }
        for (int64_t i = 0; i < n; i++)
            to[i] = from[i * stride + x[i] * sx];
        break;
    case 2:
        for (int64_t i = 0; i < n; i++)
            to[i] = from[i * stride + x[i] * sx + y[i] * sy];
        break;
    default:
        for (int64_t i = 0; i < n; i++)
            to[i] = from[i * stride + x[i] * sx + y[i] * sy + z[i] * sz];
        break;
    }
}

void ZC_KERNEL(deal)(void *out, const uint16_t *place, const void *in, int64_t n)
{
    ZC_T *to = out;
    const ZC_T *from = in;
    for (int64_t i = 0; i < n; i++)
        to[place[i]] = from[i];
}

#undef ZC_D
#undef ZC_T
