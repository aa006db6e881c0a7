/*
 * Walks many short axes as one: those that lie closest in the result, and those that lie closest in what is loaded. The
 * elements of a tile are numbered as they are stored; tables say where each is loaded, and where each run is stored.
 */
#include "materialize/tile/program/store.h"
#include "materialize/tile/program/strategy.h"

/* Most elements of a tile, for a stage that only loads and for others; the elements that are close to each other in
 * memory, on either side; and the elements of a tile from which on other strategies do as well. */
enum { MOST_LOADED = 4096, MOST = 1024, CLOSE = 64, ENOUGH = 128 };

/* State of the prepared strategy, at program->own. */
typedef struct joined_axes {
    int64_t *place;         /* [elements of a tile]: places in the result */
    int64_t run;            /* number of consecutive places */
    zc_tile_table *table[]; /* [access_count], program->table */
} joined_axes;

/* ---- Choosing ---- */

static uint64_t distance(int64_t stride)
{
    return stride < 0 ? -(uint64_t)stride : (uint64_t)stride;
}

/* The axis along which an operand (0: the store) steps least, of those that it moves along and that are not in `axes`;
 * -1: none is left. */
static int find_closest(const zc_tile_program *p, int operand, uint64_t axes)
{
    const int64_t *stride = p->stride + (size_t)operand * (size_t)p->pitch;
    int found = -1;
    for (int a = p->rank - 1; a >= 0; a--) {
        if ((axes >> a & 1) == 0 && stride[a] != 0 && (found < 0 || distance(stride[a]) < distance(stride[found])))
            found = a;
    }
    return found;
}

/* Adds the axes along which an operand's elements are close to each other, while there is room. */
static void add_close_axes(const zc_tile_program *p, int operand, int64_t close, int64_t most, uint64_t *axes,
                           int64_t *elements)
{
    uint64_t seen = 0;
    int64_t run = 1;
    for (int a = find_closest(p, operand, 0); a >= 0 && run < close; a = find_closest(p, operand, seen)) {
        const bool is_new = (*axes >> a & 1) == 0;
        if (is_new && p->shape[a] > most / *elements)
            return;
        *elements *= is_new ? p->shape[a] : 1;
        *axes |= UINT64_C(1) << a;
        seen |= UINT64_C(1) << a;
        run *= p->shape[a]; /* proven: not more than the elements of a tile */
    }
}

/* The axes of a tile, and how many elements they have together. */
static uint64_t find_axes(const zc_tile_program *p, int64_t *elements)
{
    const int64_t most = zc_tile_only_loads(p) ? MOST_LOADED : MOST;
    uint64_t axes = 0;
    *elements = 1;
    for (int operand = 0; operand <= p->stage->access_count; operand++)
        add_close_axes(p, operand, CLOSE, most, &axes, elements);
    add_close_axes(p, 0, most, most, &axes, elements);
    return axes;
}

/* The elements of a tile of other strategies, which walk two axes. */
static int64_t elements_elsewhere(const zc_tile_program *p)
{
    const int last = p->rank - 1;
    int64_t rows = p->shape[last - 1];
    for (int32_t access = 0; access < p->stage->access_count; access++) {
        const int closest = find_closest(p, 1 + access, 0);
        rows = closest >= 0 && closest != last ? zc_larger(rows, p->shape[closest]) : rows;
    }
    return zc_smaller(rows, ZC_TILE) * zc_smaller(p->shape[last], ZC_TILE); /* proven: a tile is small */
}

static bool only_loads_and_computes(const zc_stage *stage)
{
    for (int32_t v = 0; v < stage->value_count; v++) {
        const zc_value_kind kind = (zc_value_kind)stage->values[v].kind;
        if (kind != ZC_VALUE_LOAD && kind != ZC_VALUE_CONSTANT && kind != ZC_VALUE_OP)
            return false;
    }
    return true;
}

static int cost(const zc_tile_program *p)
{
    enum { COST = 0, GAIN = 4, LEAST_RANK = 3 };
    if (!zc_tile_is_stored(p) || p->stage->kind->reduces || p->stage->store.overwritten >= 0 || p->rank < LEAST_RANK ||
        zc_tile_store_stride(p, p->rank - 1) != 1 || !only_loads_and_computes(p->stage))
        return ZC_STRATEGY_NONE;
    const int64_t elsewhere = elements_elsewhere(p);
    int64_t elements = 0;
    (void)find_axes(p, &elements);
    return elsewhere < ENOUGH && elements >= GAIN * elsewhere ? COST : ZC_STRATEGY_NONE;
}

/* ---- Preparing ---- */

/* The axes of a tile, outermost first, and how far a step along each goes: in the tile, and in an operand. */
typedef struct tile_axes {
    int count;
    int64_t elements, extent[ZC_MAX_RANK], in_tile[ZC_MAX_RANK], in_memory[ZC_MAX_RANK];
} tile_axes;

/* As an operand sees them, in the order of the tile. */
static tile_axes list_axes(const zc_tile_program *p, int operand, uint64_t axes)
{
    const int64_t *stride = p->stride + (size_t)operand * (size_t)p->pitch;
    tile_axes list = {.elements = 1};
    for (int a = p->rank - 1; a >= 0; a--) {
        if ((axes >> a & 1) == 0)
            continue;
        const int at = __builtin_popcountll(axes & ((UINT64_C(1) << a) - 1));
        list.extent[at] = p->shape[a];
        list.in_tile[at] = list.elements;
        list.in_memory[at] = stride[a];
        list.elements *= p->shape[a]; /* proven: a tile is small */
        list.count++;
    }
    return list;
}

/* Puts them into the order of the operand: steps do not grow inwards, and what it does not move along is outermost. */
static void sort_axes(tile_axes *list)
{
    for (int a = 1; a < list->count; a++) {
        const int64_t extent = list->extent[a], in_tile = list->in_tile[a], in_memory = list->in_memory[a];
        int b = a;
        for (; b > 0 && distance(list->in_memory[b - 1]) - 1 < distance(in_memory) - 1; b--) { /* 0 - 1: the most */
            list->extent[b] = list->extent[b - 1];
            list->in_tile[b] = list->in_tile[b - 1];
            list->in_memory[b] = list->in_memory[b - 1];
        }
        list->extent[b] = extent;
        list->in_tile[b] = in_tile;
        list->in_memory[b] = in_memory;
    }
}

/* Finds the places of the elements from the steps along the axes. */
static void fill_places(const tile_axes *list, const int64_t *step, int64_t *place)
{
    int64_t count = 1;
    place[0] = 0;
    for (int a = list->count - 1; a >= 0; a--) {
        const int64_t end = count * list->extent[a]; /* proven: elements of a tile, verified to be inside */
        for (int64_t i = count; i < end; i++)
            place[i] = place[i - count] + step[a];
        count = end;
    }
}

/* Counts the elements that follow each other, in all runs alike. */
static int64_t find_run(const tile_axes *list)
{
    int64_t run = 1;
    for (int a = list->count - 1; a >= 0 && list->in_memory[a] == run; a--)
        run *= list->extent[a]; /* proven: a tile is small */
    return run;
}

/* Makes the table of a load; false when memory is out. */
static bool make_table(const tile_axes *unsorted, zc_arena *arena, zc_tile_table *table)
{
    enum { SHORT = 4 };
    tile_axes list = *unsorted;
    int64_t *place = zc_arena_take(arena, (size_t)list.elements, sizeof *place);
    int64_t *number = zc_arena_take(arena, (size_t)list.elements, sizeof *number);
    uint16_t *column = zc_arena_take(arena, (size_t)list.elements, sizeof *column);
    if (place == NULL || number == NULL || column == NULL)
        return false;
    fill_places(&list, list.in_memory, place);
    sort_axes(&list);
    *table = (zc_tile_table){.length = find_run(&list), .run = number, .column = column};
    table->place = table->length < SHORT ? place : NULL;
    fill_places(&list, list.in_tile, number);
    for (int64_t i = 0; i < list.elements; i++)
        column[i] = (uint16_t)number[i];
    fill_places(&list, list.in_memory, number);
    for (int64_t i = 0; i < list.elements; i += table->length)
        number[i / table->length] = number[i];
    return true;
}

/* Tells whether the elements are one stride apart; then they need no table. */
static bool find_stride(const tile_axes *list, int64_t *stride)
{
    *stride = list->in_memory[list->count - 1];
    bool has_stride = true;
    for (int a = 0; a < list->count; a++)
        has_stride &= list->in_memory[a] == *stride * list->in_tile[a]; /* proven: verified to be inside */
    return has_stride;
}

/* Takes the axes out of an operand's strides, or the shape, and puts one of all their elements to the end. */
static void join(int64_t *row, int rank, uint64_t axes, int64_t last)
{
    int to = 0;
    for (int a = 0; a < rank; a++) {
        if ((axes >> a & 1) == 0)
            row[to++] = row[a];
    }
    row[to] = last;
}

/* Finds the tables, and joins the axes. */
static bool join_all(zc_tile_program *p, uint64_t axes, zc_arena *arena, joined_axes *own)
{
    enum { NO_STRIDE = 2 }; /* any that is neither 0 nor 1 */
    int64_t stride = 0;
    for (int32_t access = 0; access < p->stage->access_count; access++) {
        const tile_axes list = list_axes(p, 1 + access, axes);
        const bool has_stride = find_stride(&list, &stride);
        own->table[access] = has_stride ? NULL : zc_arena_take(arena, 1, sizeof **own->table);
        if (!has_stride && (own->table[access] == NULL || !make_table(&list, arena, own->table[access])))
            return false;
        join(p->stride + (size_t)(1 + access) * (size_t)p->pitch, p->rank, axes, has_stride ? stride : NO_STRIDE);
    }
    const tile_axes stored = list_axes(p, 0, axes);
    own->run = find_run(&stored);
    fill_places(&stored, stored.in_memory, own->place);
    join(p->stride, p->rank, axes, own->run == stored.elements ? 1 : NO_STRIDE);
    join(p->shape, p->rank, axes, stored.elements);
    p->rank = p->kept = p->rank - stored.count + 1;
    return true;
}

static zc_preparation prepare(zc_tile_program *p, zc_arena *arena)
{
    int64_t elements = 0;
    const uint64_t axes = find_axes(p, &elements);
    joined_axes *own = p->own =
        zc_arena_take(arena, 1, sizeof *own + (size_t)p->stage->access_count * sizeof *own->table);
    if (own == NULL)
        return ZC_NOT_PREPARED;
    own->place = zc_arena_take(arena, (size_t)elements, sizeof *own->place);
    if (own->place == NULL || !join_all(p, axes, arena, own))
        return ZC_NOT_PREPARED;
    p->table = own->table;
    p->col_axis = p->rank - 1;
    p->columns = p->column_step = elements;
    p->rows = 1;
    zc_tile_make_loops(p, p->rank);
    return zc_tile_prepare_blocks(p, arena) ? ZC_PREPARED : ZC_NOT_PREPARED;
}

/* ---- Running ---- */

static void run_unit(zc_tile_worker *w)
{
    const zc_tile_program *p = w->program;
    const joined_axes *own = p->own;
    const int64_t item = (int64_t)zc_dtype_bytes(p->stage->store.dtype);
    char *to = zc_tile_store_address(w);
    const char *from = zc_tile_evaluate(w, own->run == w->columns ? to : NULL);
    if (from == to)
        return;
    for (int64_t i = 0; i < w->columns; i += own->run)
        zc_tile_store_run(w, to + own->place[i] * item, from + i * item, 1, own->run);
}

const zc_strategy zc_strategy_join_axes = {.name = "join_axes", .cost = cost, .prepare = prepare, .run_unit = run_unit};
