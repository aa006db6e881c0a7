/*
 * Sums over pairs of rows: sum(x[i] * y[j]) and sum((x[i] - y[j])**2) for all i and j, which are inner products, matrix
 * products with a transposed operand, and distances. Tile by tile, each row would be loaded again for every partner;
 * here four rows meet four others in registers. Short rows would leave most of it to the ends of their sums: each meets
 * a whole vector of others at a time, which are turned for it and stay so while the tiles follow each other along the
 * rows.
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
    if (kind < 0 || !stage->reduces || p->rank != p->kept + 1 || p->shape[p->kept] == 0 ||
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
    if (p->shape[p->kept] <= ZC_PARTNERS_LENGTH && p->shape[p->col_axis] >= ZC_LANES)
        p->partners = p->kernels->partners[kind][zc_stage_result(stage)->dtype];
    return p->partners != NULL || are_worth_it(p->shape[p->kept]);
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

/* Where the results of a row of the tile are stored. */
static char *row_address(const zc_tile_worker *w, int64_t row)
{
    const zc_tile_program *p = w->program;
    int64_t pitch = zc_tile_store_stride(p, p->row_axis) * (int64_t)zc_dtype_bytes(p->stage->result_dtype);
    return zc_tile_store_address(w) + row * pitch;
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

/* The results of every row of the tile, four by four. */
static void meet_by_blocks(zc_tile_worker *w, const row_list *left, const row_list *right)
{
    const zc_tile_program *p = w->program;
    const size_t item = w->joiner.item, stored = zc_dtype_bytes(p->stage->result_dtype);
    const char *x[ZC_PAIR_ROWS], *y[ZC_PAIR_ROWS];
    char *results = w->scratch + p->results_at;
    _Alignas(ZC_DATA_ALIGNMENT) char block[AT_ONCE * sizeof(zc_scalar)];
    for (int64_t c = 0; c < w->columns; c += ZC_PAIR_ROWS) {
        int64_t count = zc_smaller(ZC_PAIR_ROWS, w->columns - c);
        take_four(left, 0, x);
        take_four(right, c, y);
        join_block(w, x, y, block);
        for (int64_t r = 0; r < w->rows; r++)
            memcpy(results + (size_t)(r * w->columns + c) * item, block + (size_t)(r * ZC_PAIR_ROWS) * item,
                   (size_t)count * item);
    }
    zc_conclude(p->stage, results, NULL, results, w->rows * w->columns);
    for (int64_t r = 0; r < w->rows; r++)
        zc_tile_store_run(w, row_address(w, r), results + (size_t)(r * w->columns) * stored,
                          zc_tile_store_stride(p, p->col_axis), w->columns);
}

/* Columns that meet a row at a time, from `at` on, and as whole vectors; where they lie turned. */
typedef struct partner_block {
    int64_t at, count, pitch;
    char *turned;
} partner_block;

static partner_block block_at(const zc_tile_worker *w, int64_t at)
{
    const zc_tile_program *p = w->program;
    const int64_t count = zc_smaller(p->block_columns, w->columns - at);
    const int64_t before = at * p->shape[p->kept] * (int64_t)w->joiner.item; /* proven: inside the scratch memory */
    return (partner_block){at, count, zc_tile_whole_vectors(count), w->scratch + p->turned_at + before};
}

/* The columns' rows, element by element; what fills the last vector up are zeros. */
static void turn_partners(const zc_tile_worker *w, const row_list *right, const partner_block *b)
{
    const zc_tile_program *p = w->program;
    const int64_t item = (int64_t)w->joiner.item, length = p->shape[p->kept];
    zc_dtype dtype = (zc_dtype)zc_stage_result(p->stage)->dtype;
    const char *from = right->first + b->at * right->step;
    char *to = b->turned;
    for (int64_t i = 0; i < length; i++, to += b->pitch * item) {
        p->kernels->gather[dtype](to, from + i * item, right->step / item, b->count);
        memset(to + b->count * item, 0, (size_t)((b->pitch - b->count) * item));
    }
}

/* Every row of the tile and the partners of a block: the results are made where they are stored, if whole vectors fit.
 */
static void meet_block(zc_tile_worker *w, const row_list *left, const partner_block *b)
{
    const zc_tile_program *p = w->program;
    const int64_t stride = zc_tile_store_stride(p, p->col_axis);
    const int64_t offset = b->at * stride * (int64_t)zc_dtype_bytes(p->stage->result_dtype);
    const bool is_direct = stride == 1 && !p->is_streamed && b->pitch == b->count;
    for (int64_t r = 0; r < w->rows; r++) {
        char *to = row_address(w, r) + offset, *results = is_direct ? to : w->scratch + p->results_at;
        p->partners(results, left->first + r * left->step, b->turned, p->shape[p->kept], b->pitch);
        zc_conclude(p->stage, results, NULL, results, b->count);
        if (!is_direct)
            zc_tile_store_run(w, to, results, stride, b->count);
    }
}

/* The results of the tile by vectors of partners, which stay turned while nothing but the rows moves. */
static void meet_partners(zc_tile_worker *w, const row_list *left, const row_list *right)
{
    const zc_tile_program *p = w->program;
    const bool is_turned = !w->is_fresh && (w->moved & ~(UINT64_C(1) << p->row_axis)) == 0;
    for (int64_t at = 0; at < w->columns; at += p->block_columns) {
        const partner_block b = block_at(w, at);
        if (!is_turned)
            turn_partners(w, right, &b);
        meet_block(w, left, &b);
    }
    w->is_fresh = false;
    w->moved = 0;
}

void zc_tile_pairs(zc_tile_worker *w)
{
    const zc_tile_program *p = w->program;
    const row_list left = find_rows(w, 1 - p->pair_columns, p->row_axis, w->rows);
    const row_list right = find_rows(w, p->pair_columns, p->col_axis, w->columns);
    if (p->partners != NULL)
        meet_partners(w, &left, &right);
    else
        meet_by_blocks(w, &left, &right);
    int64_t pairs = w->rows * w->columns;                                           /* proven: a tile */
    (void)zc_pace_add(&w->pace, pairs * p->shape[p->kept] * p->stage->value_count); /* proven: rows are in memory */
}
