/*
 * Sums over pairs of rows: sum(x[i] * y[j]) and sum((x[i] - y[j])**2) for all i and j, which are inner products, matrix
 * products with a transposed operand, and distances. Tile by tile, each row would be loaded again for every partner;
 * here four rows meet four others in registers.
 */
#include "materialize/tile.h"

#include <string.h>

/* Rows that do not fill their lanes at least twice leave too much to the rest. */
enum { AT_ONCE = ZC_PAIR_ROWS * ZC_PAIR_ROWS, LEAST_RAGGED_LENGTH = 2 * ZC_LANES };

static bool are_worth_it(int64_t length)
{
    return length >= LEAST_RAGGED_LENGTH || (length > 0 && length % ZC_LANES == 0);
}

/* Which of the two the stage's values are, given as loads 0 and 1; -1 for anything else. */
static int find_kind(const zc_stage *stage)
{
    const zc_value *v = stage->values;
    if (stage->value_count < 3 || stage->value_count > 4 || v[0].kind != ZC_VALUE_LOAD || v[1].kind != ZC_VALUE_LOAD ||
        v[2].kind != ZC_VALUE_OP || v[2].arity != 2 || v[2].arg[0] + v[2].arg[1] != 1)
        return -1;
    if (stage->value_count == 3)
        return v[2].op == ZC_OP_MULTIPLY ? ZC_PAIR_PRODUCT : -1;
    bool is_squared = v[3].kind == ZC_VALUE_OP && v[3].arg[0] == 2 &&
                      (v[3].op == ZC_OP_SQUARE || (v[3].op == ZC_OP_MULTIPLY && v[3].arg[1] == 2));
    return v[2].op == ZC_OP_SUBTRACT && is_squared ? ZC_PAIR_DISTANCE : -1;
}

static const int64_t *strides_of(const zc_tile_program *p, int load)
{
    return p->stride + (size_t)(1 + p->stage->values[load].access) * (size_t)p->pitch;
}

/* The last kept axis along which one load moves and the other does not; -1 when there is none. */
static int find_axis(const zc_tile_program *p, int moving)
{
    const int64_t *moves = strides_of(p, moving), *stays = strides_of(p, 1 - moving);
    for (int a = p->kept - 1; a >= 0; a--) {
        if (moves[a] != 0 && stays[a] == 0 && p->shape[a] >= ZC_PAIR_ROWS)
            return a;
    }
    return -1;
}

bool zc_tile_find_pairs(zc_tile_program *p)
{
    const zc_stage *stage = p->stage;
    int kind = find_kind(stage);
    if (kind < 0 || !stage->reduces || p->rank != p->kept + 1 || !are_worth_it(p->shape[p->kept]) ||
        zc_reduction_describe(stage->reduction)->combine != ZC_OP_ADD || strides_of(p, 0)[p->kept] != 1 ||
        strides_of(p, 1)[p->kept] != 1)
        return false;
    int first = find_axis(p, 0), second = find_axis(p, 1);
    p->pair = p->kernels->pair[kind][zc_stage_result(stage)->dtype];
    if (p->pair == NULL || first < 0 || second < 0)
        return false;
    /* The columns are what moves along the later axis: their results lie closer together. */
    p->pair_columns = second > first ? 1 : 0;
    p->row_axis = second > first ? first : second;
    p->col_axis = second > first ? second : first;
    return true;
}

/* The rows of a load that the tile at hand meets: where the first one begins, and bytes from each to the next. */
typedef struct row_list {
    const char *first;
    int64_t step, count;
} row_list;

static row_list find_rows(const zc_tile_worker *w, int load, int axis, int64_t count)
{
    const zc_tile_program *p = w->program;
    const zc_value *value = &p->stage->values[load];
    const int64_t *stride = strides_of(p, load);
    const int64_t item = (int64_t)zc_dtype_bytes((zc_dtype)value->dtype);
    int64_t begin = p->stage->offset[value->access];
    for (int a = 0; a < p->kept; a++)
        begin += w->position[a] * stride[a]; /* proven: verified to be inside */
    int64_t step = stride[axis] * item;      /* proven: bytes of what is there */
    return (row_list){p->slots[value->slot] + begin * item, step, count};
}

/* Four of them from `at` on; where there are fewer, the first of the four again. */
static void take_four(const row_list *list, int64_t at, const char **rows)
{
    for (int64_t r = 0; r < ZC_PAIR_ROWS; r++)
        rows[r] = list->first + (at + r < list->count ? at + r : at) * list->step;
}

/* The sums of four by four pairs, leaf by leaf where the rows are longer than one. */
static void join_block(zc_tile_worker *w, const char **x, const char **y, void *out)
{
    const zc_tile_program *p = w->program;
    const int64_t length = p->shape[p->kept];
    const size_t leaf_bytes = ZC_LEAF * w->joiner.item;
    if (length <= ZC_LEAF) {
        p->pair(out, (const void *const *)x, (const void *const *)y, length, w->joiner.padding.bytes);
        return;
    }
    zc_joiner_begin(&w->joiner, AT_ONCE, 0);
    for (int64_t at = 0; at < length; at += ZC_LEAF) {
        int64_t n = zc_smaller(ZC_LEAF, length - at);
        p->pair(out, (const void *const *)x, (const void *const *)y, n, w->joiner.padding.bytes);
        zc_joiner_leaf(&w->joiner, out, n);
        for (int r = 0; r < ZC_PAIR_ROWS; r++) {
            x[r] += leaf_bytes;
            y[r] += leaf_bytes;
        }
    }
    zc_joiner_end(&w->joiner, out, NULL);
}

void zc_tile_pairs(zc_tile_worker *w)
{
    const zc_tile_program *p = w->program;
    const zc_stage *stage = p->stage;
    const size_t item = w->joiner.item, stored = zc_dtype_bytes(stage->result_dtype);
    const row_list left = find_rows(w, 1 - p->pair_columns, p->row_axis, w->rows);
    const row_list right = find_rows(w, p->pair_columns, p->col_axis, w->columns);
    const char *x[ZC_PAIR_ROWS], *y[ZC_PAIR_ROWS];
    char *results = w->scratch + p->results_at;
    _Alignas(ZC_DATA_ALIGNMENT) char block[AT_ONCE * sizeof(zc_scalar)];
    for (int64_t c = 0; c < w->columns; c += ZC_PAIR_ROWS) {
        int64_t count = zc_smaller(ZC_PAIR_ROWS, w->columns - c);
        take_four(&left, 0, x);
        take_four(&right, c, y);
        join_block(w, x, y, block);
        for (int64_t r = 0; r < w->rows; r++)
            memcpy(results + (size_t)(r * w->columns + c) * item, block + (size_t)(r * ZC_PAIR_ROWS) * item,
                   (size_t)count * item);
    }
    zc_conclude(stage, results, NULL, results, w->rows * w->columns);
    for (int64_t r = 0; r < w->rows; r++)
        zc_tile_store_run(w, zc_tile_store_address(w) + r * zc_tile_store_stride(p, p->row_axis) * (int64_t)stored,
                          results + (size_t)(r * w->columns) * stored, zc_tile_store_stride(p, p->col_axis),
                          w->columns);
    int64_t pairs = w->rows * w->columns;                                        /* proven: a tile */
    (void)zc_pace_add(&w->pace, pairs * p->shape[p->kept] * stage->value_count); /* proven: rows are in memory */
}
