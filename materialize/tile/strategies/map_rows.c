/*
 * Computes row by row with one chain, which reads the loads in memory and stores the result. The steps of the chain are
 * made for the first row of a unit; from row to row only their addresses change.
 */
#include "materialize/tile/program/chains.h"
#include "materialize/tile/program/store.h"
#include "materialize/tile/program/strategy.h"

/* State of the prepared strategy, at program->own. */
typedef struct row_steps {
    int64_t rows;    /* rows of a unit */
    int64_t bytes[]; /* [value_count]: bytes from row to row of a load, and of the result where it is stored */
} row_steps;

/* Takes rows that are neither too short nor too long for a chain, along which loads have stride 1 or 0. */
static int cost(const zc_tile_program *p)
{
    enum { COST = 3 };
    const zc_chain_kernels *chains = p->kernels->chains;
    const int last = p->rank - 1;
    if (chains == NULL || !zc_tile_is_stored(p) || p->stage->kind->reduces || p->stage->store.overwritten >= 0 ||
        p->rank < 2 || zc_tile_store_stride(p, last) != 1 || p->shape[last] > ZC_TILE_LONGEST ||
        p->shape[last] < chains->tile_bytes / (int64_t)zc_dtype_bytes(p->stage->store.dtype))
        return ZC_STRATEGY_NONE;
    for (int32_t access = 0; access < p->stage->access_count; access++) {
        int64_t stride = zc_tile_load_stride(p, access, last);
        if (stride != 0 && stride != 1)
            return ZC_STRATEGY_NONE;
    }
    return COST;
}

/* Tells whether one chain computes the whole row from loads in memory. */
static bool is_one_chain(const zc_tile_program *p)
{
    const zc_stage *stage = p->stage;
    bool is_one = p->blocks.chain_count == 1 && p->blocks.chains[0].last == stage->value_count - 1;
    for (int32_t v = 0; v < stage->value_count; v++) {
        const zc_tile_value *value = &p->blocks.values[v];
        bool is_load = stage->values[v].kind == ZC_VALUE_LOAD && (value->is_single || !value->is_strip);
        is_one &= value->chain == 0 || is_load || stage->values[v].kind == ZC_VALUE_CONSTANT;
    }
    return is_one;
}

static row_steps *find_row_steps(const zc_tile_program *p, zc_arena *arena)
{
    const int32_t last = p->stage->value_count - 1;
    row_steps *steps = zc_arena_take(arena, 1, sizeof *steps + (size_t)(last + 1) * sizeof *steps->bytes);
    for (int32_t v = 0; v <= last && steps != NULL; v++) {
        const zc_value *value = &p->stage->values[v];
        int64_t stride = v == last ? zc_tile_store_stride(p, p->row_axis) : 0;
        if (value->kind == ZC_VALUE_LOAD)
            stride = zc_tile_load_stride(p, value->access, p->row_axis);
        steps->bytes[v] = stride * (int64_t)p->blocks.values[v].item;
    }
    return steps;
}

/* The blocks are prepared for tiles of one row. A unit has as many rows as a long tile. */
static zc_preparation prepare(zc_tile_program *p, zc_arena *arena)
{
    const int64_t most = zc_smaller(ZC_TILE_LONGEST, zc_tile_fair_share(p, ZC_TILE));
    p->col_axis = p->rank - 1;
    p->row_axis = p->rank - 2;
    p->is_streamed = zc_tile_should_stream(p);
    p->stores_directly = true;
    zc_tile_set_extents(p, most, most);
    const int64_t rows = p->rows;
    p->rows = 1;
    zc_tile_make_loops(p, p->rank);
    zc_tile_set_step(p, p->row_axis, rows);
    if (!zc_tile_prepare_blocks(p, arena))
        return ZC_NOT_PREPARED;
    if (!is_one_chain(p))
        return ZC_DECLINED;
    row_steps *steps = find_row_steps(p, arena);
    if (steps == NULL)
        return ZC_NOT_PREPARED;
    steps->rows = rows;
    p->own = steps;
    return ZC_PREPARED;
}

static void move_to_next_row(const row_steps *by, const zc_tile_chain *chain, zc_chain_step *steps)
{
    for (int32_t i = 0; i < chain->op_count; i++) {
        for (int o = 0; o < 2; o++) {
            const int32_t v = chain->ops[i].value[o];
            steps[i].operand[o].at += v < 0 ? 0 : by->bytes[v];
        }
    }
}

static void run_unit(zc_tile_worker *w)
{
    const zc_tile_program *p = w->program;
    const row_steps *by = p->own;
    const zc_tile_chain *chain = &p->blocks.chains[0];
    const int64_t rows = zc_smaller(by->rows, p->shape[p->row_axis] - w->position[p->row_axis]);
    const int64_t bytes = w->columns * (int64_t)p->blocks.values[chain->last].item;
    zc_chain_step steps[ZC_TILE_CHAIN_OPS + 1];
    char *to = zc_tile_store_address(w);
    if (bytes < p->kernels->chains->tile_bytes) { /* the end of a row that is divided into several tiles */
        zc_tile_store(w, to, zc_tile_evaluate(w, to));
        return;
    }
    zc_tile_evaluate_operands(w);
    zc_tile_bind_chain(w, chain, to, steps);
    for (int64_t r = 0; r < rows; r++) {
        if (r > 0)
            move_to_next_row(by, chain, steps);
        p->kernels->chains->run(steps, bytes);
    }
    zc_tile_count(w, rows * w->columns);
}

const zc_strategy zc_strategy_map_rows = {.name = "map_rows", .cost = cost, .prepare = prepare, .run_unit = run_unit};
