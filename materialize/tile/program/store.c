#include "materialize/tile/program/store.h"

/* Bytes from which on results are stored past the caches: read and written ones, when about as much is read as is
 * written; and written ones alone of what is only filled, or is read again at once. */
#define LEAST_STREAMED      0x1p24
#define LEAST_STREAMED_ELSE 0x1p25

/* Bytes read and written from which on they are not expected in a cache that answers at once. */
#define LEAST_ASKED 0x1p21

/* Bytes that a load reads: those along the axes that it moves along. */
static double bytes_of_load(const zc_tile_program *p, const zc_value *value)
{
    double bytes = (double)zc_dtype_bytes((zc_dtype)value->dtype);
    for (int a = 0; a < p->rank; a++)
        bytes *= zc_tile_load_stride(p, value->access, a) != 0 ? (double)p->shape[a] : 1.0;
    return bytes;
}

static double bytes_stored(const zc_stage *stage)
{
    return (double)zc_stage_extent(stage, 0, stage->kept) * (double)zc_dtype_bytes(stage->store.dtype);
}

static double bytes_loaded(const zc_tile_program *p)
{
    double loaded = 0.0;
    for (int32_t v = 0; v < p->stage->value_count; v++)
        loaded += zc_value_reads(&p->stage->values[v]) ? bytes_of_load(p, &p->stage->values[v]) : 0.0;
    return loaded;
}

bool zc_tile_should_ask(const zc_tile_program *p)
{
    return bytes_stored(p->stage) + bytes_loaded(p) >= LEAST_ASKED;
}

bool zc_tile_should_stream(const zc_tile_program *p)
{
    const zc_stage *stage = p->stage;
    double stored = bytes_stored(stage), loaded = bytes_loaded(p);
    bool is_computed = !stage->feeds && loaded >= stored / 2.0;
    bool is_large = is_computed ? stored + loaded >= LEAST_STREAMED : stored >= LEAST_STREAMED_ELSE;
    return p->kernels->chains != NULL && is_large;
}

char *zc_tile_store_address(const zc_tile_worker *w)
{
    const zc_tile_program *p = w->program;
    int64_t at = p->stage->store.offset;
    for (int a = 0; a < (p->stage->kind->reduces ? p->kept : p->rank); a++)
        at += w->position[a] * p->stride[a]; /* proven: verified to be inside */
    return p->slots[p->stage->store.slot] + (size_t)at * zc_dtype_bytes(p->stage->store.dtype);
}

int64_t zc_tile_store_pitch(const zc_tile_program *p)
{
    return zc_tile_store_stride(p, p->row_axis) * (int64_t)zc_dtype_bytes(p->stage->store.dtype);
}

/* Bools are normalized to 0 and 1 on store, so they cannot be moved as they are. */
static bool is_moved_streaming(const zc_tile_program *p)
{
    return p->is_streamed && p->stage->store.dtype != ZC_BOOL;
}

void zc_tile_store_run(const zc_tile_worker *w, char *to, const char *from, int64_t stride, int64_t n)
{
    zc_dtype dtype = w->program->stage->store.dtype;
    bool is_run = stride == 1 || n == 1;
    if (is_run && is_moved_streaming(w->program))
        w->program->kernels->stream(to, 0, from, (size_t)n * zc_dtype_bytes(dtype), 1);
    else if (is_run)
        w->program->kernels->map[ZC_OP_COPY][dtype](to, from, NULL, NULL, n);
    else
        w->program->kernels->unpack[dtype](to, from, stride, n);
}

bool zc_tile_is_stored_in_place(const zc_tile_worker *w)
{
    const zc_tile_program *p = w->program;
    return (w->columns == 1 || zc_tile_store_stride(p, p->col_axis) == 1) &&
           (w->rows == 1 || zc_tile_store_stride(p, p->row_axis) == w->columns);
}

bool zc_tile_may_compute_in_place(const zc_tile_worker *w)
{
    const zc_tile_program *p = w->program;
    const zc_chain_kernels *chains = p->kernels->chains;
    if (!zc_tile_is_stored_in_place(w))
        return false;
    int64_t bytes = w->rows * w->columns * (int64_t)zc_dtype_bytes(p->stage->store.dtype);
    return p->stage->store.overwritten < 0 || chains == NULL || bytes % chains->tile_bytes == 0;
}

static void store_rows(const zc_tile_worker *w, char *to, const char *from)
{
    const zc_tile_program *p = w->program;
    const size_t row_bytes = (size_t)w->columns * zc_dtype_bytes(p->stage->store.dtype);
    int64_t col_stride = zc_tile_store_stride(p, p->col_axis), pitch = zc_tile_store_pitch(p);
    if (col_stride == 1 && is_moved_streaming(p)) {
        p->kernels->stream(to, pitch, from, row_bytes, w->rows);
        return;
    }
    for (int64_t r = 0; r < w->rows; r++, to += pitch, from += row_bytes)
        zc_tile_store_run(w, to, from, col_stride, w->columns);
}

void zc_tile_store(const zc_tile_worker *w, char *to, const char *from)
{
    if (to == from)
        return;
    if (zc_tile_is_stored_in_place(w))
        zc_tile_store_run(w, to, from, 1, w->rows * w->columns);
    else if (w->columns == 1)
        zc_tile_store_run(w, to, from, zc_tile_store_stride(w->program, w->program->row_axis), w->rows);
    else
        store_rows(w, to, from);
}
