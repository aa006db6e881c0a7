/* Copies rows from memory to the result without a block: the stage computes nothing. */
#include "materialize/tile/program/store.h"
#include "materialize/tile/program/strategy.h"

#include <string.h>

/* Bools are normalized on store, so they cannot be copied. Only consecutive rows, and rows of one repeated element, are
 * stored past the caches. */
static int cost(const zc_tile_program *p)
{
    enum { COST = 2 };
    if (!zc_tile_is_stored(p) || p->stage->kind->reduces || !zc_tile_only_loads(p) || p->rank == 0 ||
        p->stage->store.dtype == ZC_BOOL || zc_tile_store_stride(p, p->rank - 1) != 1)
        return ZC_STRATEGY_NONE;
    const int64_t along = zc_tile_load_stride(p, zc_stage_result(p->stage)->access, p->rank - 1);
    return along == 0 || along == 1 || !zc_tile_should_stream(p) ? COST : ZC_STRATEGY_NONE;
}

static zc_preparation prepare(zc_tile_program *p, zc_arena *arena)
{
    (void)arena;
    const int64_t most = zc_smaller(ZC_TILE_LONGEST, zc_tile_fair_share(p, ZC_TILE));
    p->col_axis = p->rank - 1;
    p->row_axis = p->rank - 2; /* -1: none */
    p->is_streamed = zc_tile_should_stream(p);
    zc_tile_set_extents(p, most, most);
    zc_tile_make_loops(p, p->rank);
    return ZC_PREPARED;
}

/* Stores a row of one repeated element past the caches, from a block that is filled with it. */
static void stream_element(const zc_kernels *k, zc_dtype dtype, char *to, const char *from, int64_t n)
{
    const int64_t item = (int64_t)zc_dtype_bytes(dtype);
    _Alignas(ZC_DATA_ALIGNMENT) char block[ZC_TILE * sizeof(zc_scalar)];
    int64_t head = zc_smaller((int64_t)(-(uintptr_t)to % ZC_DATA_ALIGNMENT) / item, n);
    k->pack[dtype](to, from, 0, head);
    k->pack[dtype](block, from, 0, zc_smaller(n - head, ZC_TILE));
    for (int64_t at = head; at < n; at += ZC_TILE)
        k->stream(to + at * item, 0, block, (size_t)(zc_smaller(n - at, ZC_TILE) * item), 1);
}

static void run_unit(zc_tile_worker *w)
{
    const zc_tile_program *p = w->program;
    const zc_kernels *k = p->kernels;
    const zc_value *value = zc_stage_result(p->stage);
    const size_t item = zc_dtype_bytes((zc_dtype)value->dtype), row_bytes = (size_t)w->columns * item;
    const int64_t pitch = zc_tile_store_pitch(p);
    const zc_tile_access a = zc_tile_find_access(w, value->access);
    const char *from = p->slots[value->slot] + a.at * (int64_t)item;
    char *to = zc_tile_store_address(w);
    for (int64_t r = 0; r < w->rows; r++, to += pitch, from += a.row_stride * (int64_t)item) {
        if (a.col_stride == 0 && p->is_streamed)
            stream_element(k, (zc_dtype)value->dtype, to, from, w->columns);
        else if (a.col_stride != 1)
            k->pack[value->dtype](to, from, a.col_stride, w->columns);
        else if (p->is_streamed)
            k->stream(to, 0, from, row_bytes, 1);
        else
            memcpy(to, from, row_bytes);
    }
    zc_tile_count(w, w->rows * w->columns);
}

const zc_strategy zc_strategy_copy = {.name = "copy", .cost = cost, .prepare = prepare, .run_unit = run_unit};
