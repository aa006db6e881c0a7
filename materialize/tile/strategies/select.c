/*
 * Selects from lines: a tile is a run of one line, whose elements are looked at a block after the other, as they are
 * computed. The best so far are in the worker's memory.
 */
#include "materialize/sorting/select.h"
#include "materialize/stages/select.h"
#include "materialize/tile/program/store.h"
#include "materialize/tile/program/strategy.h"

static int cost(const zc_tile_program *p)
{
    return p->stage->kind == &zc_stage_kind_select ? 0 : ZC_STRATEGY_NONE;
}

/* The places of what is selected are an axis of the nest, which no loop walks. */
static zc_preparation prepare(zc_tile_program *p, zc_arena *arena)
{
    p->col_axis = p->rank - 1;
    if (!zc_tile_prepare_long(p, p->kept, INT64_MAX, arena))
        return ZC_NOT_PREPARED;
    p->inner[0] = p->inner[p->inner_count - 1];
    p->inner_count = 1;
    return ZC_PREPARED;
}

static zc_dtype dtype_of(const zc_tile_program *p)
{
    return (zc_dtype)zc_stage_result(p->stage)->dtype;
}

/* The worker's memory: a line's elements with a block besides, their numbers, and as many again to sort them. */
typedef struct layout {
    size_t elements, numbers; /* bytes of each */
} layout;

static layout lay_out(const zc_tile_program *p)
{
    const size_t room = (size_t)(zc_select_most(zc_stage_selected(p->stage).count) + ZC_SELECT_BLOCK);
    return (layout){zc_align_data(room * zc_dtype_bytes(dtype_of(p))), zc_align_data(room * sizeof(int64_t))};
}

static size_t line_bytes(const zc_tile_program *p)
{
    const layout l = lay_out(p);
    return 2 * (l.elements + l.numbers);
}

static size_t scratch_bytes(const zc_tile_program *p)
{
    return line_bytes(p) + ZC_SELECT_BLOCK; /* of truths */
}

static zc_line make_line(zc_tile_worker *w)
{
    const layout l = lay_out(w->program);
    char *at = w->own;
    zc_line line = {.descending = zc_stage_selected(w->program->stage).descends, .progress = &w->progress};
    line.values = at;
    line.spare = at += l.elements;
    line.index = (int64_t *)(void *)(at += l.elements);
    line.index_spare = (int64_t *)(void *)(at + l.numbers);
    return line;
}

/* Truths as they are sorted, behind the line's room. */
static const char *pack_truths(const zc_tile_worker *w, const char *elements, int64_t count)
{
    char *packed = w->own + line_bytes(w->program);
    zc_sorter_of(ZC_BOOL)->pack(elements, 1, count, packed);
    return packed;
}

/* Looks at a tile. A call that is stopped drops its results. */
static void take_tile(const zc_tile_worker *w, zc_selector *selector, zc_line *line, const char *elements,
                      int64_t first)
{
    const zc_dtype dtype = dtype_of(w->program);
    const int64_t item = (int64_t)zc_dtype_bytes(dtype);
    for (int64_t at = 0, count; at < w->columns; at += count) {
        const char *from = elements + at * item; /* proven: in the tile */
        count = zc_selector_next(selector, first + at, w->columns - at);
        zc_selector_take(selector, line, dtype == ZC_BOOL ? pack_truths(w, from, count) : from, count, first + at);
    }
}

static void store(const zc_tile_worker *w, const zc_line *line)
{
    const zc_selected s = zc_stage_selected(w->program->stage);
    const zc_sorter *sorter = zc_sorter_of(s.is_index ? ZC_INT64 : dtype_of(w->program));
    sorter->unpack(s.is_index ? (const void *)line->index : line->values, s.count, zc_tile_store_address(w), s.step);
}

static void run_unit(zc_tile_worker *w)
{
    const zc_selected s = zc_stage_selected(w->program->stage);
    int64_t at[ZC_MAX_RANK] = {0}, first = 0;
    zc_selector selector;
    zc_line line = make_line(w);
    zc_selector_begin(&selector, dtype_of(w->program), s.count, s.descends);
    do {
        zc_tile_move_inside(w, at);
        take_tile(w, &selector, &line, zc_tile_evaluate(w, NULL), first);
        first += w->columns;
        zc_tile_count(w, (s.count - 1) * w->columns); /* proven: in the domain */
    } while (zc_tile_next(w, at));
    if (first < zc_walked_count(w->program->stage)) /* stopped: the line has too few elements to be sorted */
        return;
    (void)zc_selector_end(&selector, &line);
    store(w, &line);
}

const zc_strategy zc_strategy_select = {
    .name = "select", .cost = cost, .prepare = prepare, .scratch_bytes = scratch_bytes, .run_unit = run_unit};
