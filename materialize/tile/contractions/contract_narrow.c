/*
 * Contracts rows with matrices of few columns, as colours are mixed and points are moved: each row of such a matrix is
 * one vector or two, or half of one, where blocks would pack it. Rows of the result are next to each other. Of one
 * matrix and many rows, or of many matrices that are read where they are.
 */
#include "materialize/tile/contractions/contraction.h"
#include "materialize/tile/contractions/few_columns.h"
#include "materialize/tile/program/strategy.h"

/* Most and fewest rows of a unit, and the bytes of their sums that are computed at a time. */
enum { UNIT_ROWS = 1 << 13, LEAST_ROWS = 64, BLOCK_BYTES = 1 << 13 };

/* State of the prepared strategy, at program->own. */
typedef struct contract_narrow {
    zc_contract_shape shape;
    int64_t lanes;    /* lanes of the vectors of a row of the matrix */
    int64_t rows;     /* rows of a unit, in each of its batches */
    int64_t units;    /* units of a batch */
    int64_t batches;  /* batches of a unit; more than one where a unit has all rows of each */
    int64_t block;    /* rows computed together */
    int64_t in_place; /* batches whose matrices are read in place: they end so far before the last one's end that whole
                         vectors are inside the operand */
} contract_narrow;

static int cost(const zc_tile_program *p)
{
    zc_contract_shape s;
    return zc_contract_find(p, &s) && zc_few_columns_apply(p, &s) ? 0 : ZC_STRATEGY_NONE;
}

/* ---- Preparing ---- */

static zc_preparation prepare(zc_tile_program *p, zc_arena *arena)
{
    contract_narrow *own = zc_arena_take(arena, 1, sizeof *own);
    if (own == NULL)
        return ZC_NOT_PREPARED;
    (void)zc_contract_find(p, &own->shape); /* as cost() has found */
    const zc_contract_shape *s = &own->shape;
    const int64_t wanted = zc_contract_least_units(p), batches = zc_larger(s->batches.size, 1);
    const int64_t share = zc_divide_up(s->rows.size, zc_divide_up(wanted, batches));
    own->lanes = zc_few_columns_lanes(p, s);
    own->in_place = zc_few_columns_in_place(p, s);
    own->rows = zc_smaller(UNIT_ROWS, zc_smaller(zc_larger(share, LEAST_ROWS), zc_larger(s->rows.size, 1)));
    own->units = zc_divide_up(s->rows.size, own->rows);
    own->batches = own->units > 1 ? 1 : zc_larger(zc_smaller(UNIT_ROWS / own->rows, batches / wanted), 1);
    own->block = zc_larger(BLOCK_BYTES / (int64_t)s->item / s->columns.size, 1);
    p->units = own->units * zc_divide_up(s->batches.size, own->batches); /* proven: not more than the domain's size */
    p->own = own;
    return ZC_PREPARED;
}

/* ---- Running ---- */

typedef struct narrow {
    zc_tile_worker *w;
    const contract_narrow *own;
    zc_contract_batch first;     /* first elements of all batches */
    char *matrix;                /* packed matrix: [ZC_CHAIN][lanes] */
    int64_t *row_at, *column_at; /* [ZC_CHAIN], [lanes]: offsets of the matrix's factors */
    char *lines;
    char *sums; /* sums of rows whose results follow those at `to`, and room for a vector's end */
    char *to;
    int64_t count; /* number of sums */
} narrow;

static size_t scratch_bytes(const zc_tile_program *p)
{
    const contract_narrow *own = p->own;
    const size_t item = own->shape.item;
    return (size_t)(ZC_CHAIN * own->lanes) * item + (size_t)(ZC_CHAIN + own->lanes) * sizeof(int64_t) +
           ZC_CONTRACT_LINE_BYTES + zc_align_data((size_t)(own->block * own->shape.columns.size + own->lanes) * item);
}

static narrow find_memory(zc_tile_worker *w)
{
    const contract_narrow *own = w->program->own;
    narrow m = {.w = w, .own = own, .first = zc_contract_find_batch(w->program, &own->shape, 0), .matrix = w->own};
    m.row_at = (int64_t *)(void *)(m.matrix + ZC_CHAIN * own->lanes * (int64_t)own->shape.item);
    m.column_at = m.row_at + ZC_CHAIN;
    m.lines = (char *)(m.column_at + own->lanes);
    m.sums = m.lines + ZC_CONTRACT_LINE_BYTES;
    return m;
}

/* Takes the matrix of a batch, in place or packed. */
static void take_matrix(const narrow *m, int64_t batch, const char *y, zc_contract_narrow *rows)
{
    const contract_narrow *own = m->own;
    const zc_contract_shape *s = &own->shape;
    rows->y = y;
    rows->y_row = zc_contract_stride(&s->products.y);
    if (batch < own->in_place)
        return;
    const zc_contract_part part = {y, m->row_at, m->column_at, s->products.size, s->columns.size};
    zc_contract_offsets(&s->products.y, 0, s->products.size, m->row_at);
    zc_contract_offsets(&s->columns.y, 0, s->columns.size, m->column_at);
    zc_contract_pack(m->w->program->kernels, s->dtype, &part, m->matrix, own->lanes, m->lines);
    rows->y = m->matrix;
    rows->y_row = own->lanes;
}

static void store(narrow *m)
{
    if (m->count > 0)
        zc_contract_store_together(m->w, m->to, m->sums, m->count);
    m->count = 0;
}

/* Describes batches from `batch` on to the kernel, except rows and sums. */
static zc_contract_narrow find_batches(const narrow *m, int64_t batch)
{
    const zc_contract_shape *s = &m->own->shape;
    const int64_t item = (int64_t)s->item;
    zc_contract_narrow some = {.x = m->first.x + zc_contract_offset(&s->batches.x, batch) * item, /* proven: inside */
                               .x_batch = zc_contract_stride(&s->batches.x),
                               .x_row = zc_contract_stride(&s->rows.x),
                               .x_step = zc_contract_stride(&s->products.x),
                               .y_batch = zc_contract_stride(&s->batches.y),
                               .length = s->products.size,
                               .columns = s->columns.size,
                               .batches = 1};
    take_matrix(m, batch, m->first.y + zc_contract_offset(&s->batches.y, batch) * item, &some);
    return some;
}

/* Makes sums of rows whose results are at `to`. Results that follow each other are stored together. */
static void multiply(narrow *m, zc_contract_narrow *some, char *to)
{
    const contract_narrow *own = m->own;
    const int64_t item = (int64_t)own->shape.item, sums = some->batches * some->rows * some->columns;
    if (to != m->to + m->count * item || m->count + sums > own->block * some->columns)
        store(m);
    if (m->count == 0)
        m->to = to;
    some->sums = m->sums + m->count * item;
    m->w->program->kernels->contract[own->shape.dtype].narrow(some);
    m->count += sums;
    zc_tile_count(m->w, sums * some->length); /* proven: not more than the domain's size */
}

/* Rows of a batch, `begin` up to `end`, as many at a time as there is room for. */
static void contract_rows(narrow *m, int64_t batch, int64_t begin, int64_t end)
{
    const contract_narrow *own = m->own;
    const zc_contract_shape *s = &own->shape;
    const int64_t item = (int64_t)s->item, columns = s->columns.size;
    char *result = m->first.result + zc_contract_offset(&s->batches.result, batch) * item;
    zc_contract_narrow some = find_batches(m, batch);
    const char *x = some.x;
    for (int64_t row = begin; row < end; row += some.rows) {
        const int64_t left = own->block - m->count / columns;
        some.rows = zc_smaller(left > 0 ? left : own->block, end - row);
        some.x = x + row * some.x_row * item; /* proven: verified to be inside */
        multiply(m, &some, result + row * columns * item);
    }
}

/* Batches from one on that are made at once: their matrices are read where they are, and results follow each other. */
static int64_t count_together(const contract_narrow *own, int64_t batch, int64_t end)
{
    const zc_contract_shape *s = &own->shape;
    const int64_t most = zc_smaller(own->block / own->rows, zc_smaller(own->in_place, end) - batch);
    if (own->units > 1 || s->batches.x.count > 1 || most <= 1)
        return 1;
    return zc_contract_find_run(&s->batches.result, s->rows.size * s->columns.size, batch, most);
}

static void contract_batches(narrow *m, int64_t batch, int64_t count)
{
    const zc_contract_shape *s = &m->own->shape;
    zc_contract_narrow some = find_batches(m, batch);
    some.rows = s->rows.size;
    some.batches = count;
    multiply(m, &some, m->first.result + zc_contract_offset(&s->batches.result, batch) * (int64_t)s->item);
}

static void run_unit(zc_tile_worker *w)
{
    narrow m = find_memory(w);
    const contract_narrow *own = m.own;
    const zc_contract_shape *s = &own->shape;
    const int64_t first = w->unit / own->units * own->batches, begin = w->unit % own->units * own->rows;
    const int64_t end = zc_smaller(first + own->batches, s->batches.size);
    for (int64_t batch = first, count; batch < end && !w->progress.is_stopped; batch += count) {
        count = count_together(own, batch, end);
        if (count > 1)
            contract_batches(&m, batch, count);
        else
            contract_rows(&m, batch, begin, zc_smaller(begin + own->rows, s->rows.size));
    }
    store(&m);
}

const zc_strategy zc_strategy_contract_narrow = {
    .name = "contract_narrow", .cost = cost, .prepare = prepare, .scratch_bytes = scratch_bytes, .run_unit = run_unit};
