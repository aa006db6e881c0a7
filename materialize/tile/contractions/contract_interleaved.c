/*
 * Contracts many small matrices at a time: the same factor of each is beside the others' in memory, so that a vector
 * holds what belongs to as many results as it has lanes. Lanes are batches, whose factors are turned on their way; or
 * the many columns of one row that are apart, or the many rows of few columns, where products are few: as where pixels
 * are mixed to a grey one. What does not differ between lanes is repeated in them.
 */
#include "materialize/tile/contractions/blocking.h"
#include "materialize/tile/contractions/contraction.h"
#include "materialize/tile/contractions/few_columns.h"
#include "materialize/tile/program/strategy.h"

enum {
    LEAST_LANES = 16,        /* fewer fill no vector */
    MOST_LANES = 256,        /* more save no calls */
    CACHED_BYTES = 1 << 15,  /* bytes of factors and sums; more of them where fewer lanes are left otherwise */
    MOST_WORK = 6 * 6 * 6,   /* products of float matrices by matrices */
    MOST_BYTES = 27 * 4,     /* bytes of such products where contract_narrow takes matrices in place */
    MOST_OTHERS = 64,        /* products of other matrices, and of rows by one matrix */
    MOST_COMPLEX = 32,       /* products of complex rows by one matrix */
    MOST_PRODUCTS = 16,      /* products of columns */
    MOST_OF_BYTES = 8,       /* products of columns of bytes */
    MOST_TURNED = 24,        /* bytes of products of columns that contract_lanes turns in registers */
    MANY_COLUMNS = 12,       /* columns from which on blocks are faster */
    MANY_WIDE = 8,           /* the same for items of 8 bytes and more */
    VECTOR_BYTES = 64,       /* bytes of columns next to each other that fill a vector */
    FEW_FACTORS = 4,         /* most factors that are packed one by one */
    MOST_GROUPS_OF_UNIT = 64 /* groups of lanes in a unit */
};

/* Order of one operand's factors in a panel: product k of row or column i is at k * product_step + i * other_step. */
typedef struct panel_order {
    int64_t count; /* number of factors of a contraction */
    int64_t product_step, other_step;
} panel_order;

/* Walk of an operand that has one index, or stays in place. */
static const zc_contract_walk no_axes = {0, {0}, {0}};

/* Axes whose indices are the lanes of a vector. */
typedef enum lane_kind { BATCHES, ROWS, COLUMNS } lane_kind;

/* State of the prepared strategy, at program->own. */
typedef struct contract_interleaved {
    zc_contract_shape shape;
    lane_kind kind;
    panel_order x, y;
    int64_t columns, results; /* columns and results of a lane */
    int64_t lanes;            /* lanes computed together */
    int64_t of_unit;          /* lanes of a unit */
    int64_t units;            /* units of all lanes; of one batch where lanes are rows or columns */
} contract_interleaved;

/* ---- Applicability ---- */

/* Orders factors as in memory, so that lines are turned whole. */
static panel_order find_order(const zc_contract_walk *products, int64_t length, const zc_contract_walk *others,
                              int64_t size)
{
    panel_order order = {length * size, 1, length};
    if (zc_contract_last_stride(others) < zc_contract_last_stride(products))
        order.product_step = size, order.other_step = 1;
    return order;
}

/* Returns the bytes of a lane's factors, and twice those of its sums: as computed, and turned. */
static int64_t bytes_of_lane(const contract_interleaved *own)
{
    return (own->x.count + own->y.count + 2 * own->results) * (int64_t)own->shape.item;
}

/* Tells whether the results of a lane are row-major without gaps. */
static bool are_results_dense(const contract_interleaved *own)
{
    const zc_contract_shape *s = &own->shape;
    return (own->columns == 1 || zc_contract_is_run(&s->columns.result)) &&
           (own->results == own->columns || (s->rows.result.count == 1 && s->rows.result.stride[0] == s->columns.size));
}

static const zc_contract_axes *along(const contract_interleaved *own)
{
    const zc_contract_axes *kinds[] = {
        [BATCHES] = &own->shape.batches, [ROWS] = &own->shape.rows, [COLUMNS] = &own->shape.columns};
    return kinds[own->kind];
}

static lane_kind choose_kind(const zc_contract_shape *s)
{
    if (s->batches.size >= zc_larger(s->rows.size, s->columns.size))
        return BATCHES;
    return s->rows.size > s->columns.size ? ROWS : COLUMNS;
}

/* Tells whether the strategy is as fast as others, by measurement. */
static bool suits(const zc_tile_program *p, const contract_interleaved *own)
{
    const zc_contract_shape *s = &own->shape;
    const zc_contract_kernels *kernels = &p->kernels->contract[s->dtype];
    const int64_t products = s->products.size, work = own->results * products;
    const bool is_run = zc_contract_is_run(&s->columns.y); /* others read columns where they are */
    if (own->kind == COLUMNS) {
        const bool are_turned = kernels->narrow != NULL && zc_contract_has_products_together(s);
        const int64_t most = are_turned ? MOST_TURNED / (int64_t)s->item : s->item == 1 ? MOST_OF_BYTES : MOST_PRODUCTS;
        return s->rows.size == 1 && !is_run && products <= most;
    }
    if (own->kind == ROWS)
        return kernels->narrow == NULL && s->columns.size < (s->item < sizeof(int64_t) ? MANY_COLUMNS : MANY_WIDE) &&
               work <= (zc_dtype_is_complex(s->dtype) ? MOST_COMPLEX : MOST_OTHERS);
    const bool lie = zc_few_columns_apply(p, s);
    const int64_t most = kernels->narrow == NULL ? MOST_OTHERS : lie ? MOST_BYTES / (int64_t)s->item : MOST_WORK;
    const bool fill_vectors = is_run && s->columns.size * (int64_t)s->item >= VECTOR_BYTES;
    return own->results > 1 && (s->rows.size == 1 ? !fill_vectors : work <= most);
}

/* Chooses lanes and orders. False where the strategy does not apply, or others are faster. */
static bool find(const zc_tile_program *p, contract_interleaved *own)
{
    zc_contract_shape *s = &own->shape;
    if (!zc_contract_find(p, s) || s->x_is_computed || s->y_is_computed || s->products.size > ZC_CHAIN)
        return false;
    own->kind = choose_kind(s);
    const int64_t rows = own->kind == ROWS ? 1 : s->rows.size;
    own->columns = own->kind == COLUMNS ? 1 : s->columns.size;
    own->results = rows * own->columns; /* proven: not more than the domain's size */
    own->x = find_order(&s->products.x, s->products.size, &s->rows.x, rows); /* proven: at most the operand */
    own->y = find_order(&s->products.y, s->products.size, &s->columns.y, own->columns);
    return along(own)->size >= LEAST_LANES && suits(p, own) && are_results_dense(own) &&
           bytes_of_lane(own) <= ZC_BLOCKING_SMALL / 2 / LEAST_LANES;
}

static int cost(const zc_tile_program *p)
{
    contract_interleaved own;
    return find(p, &own) ? 0 : ZC_STRATEGY_NONE;
}

/* ---- Preparing ---- */

static zc_preparation prepare(zc_tile_program *p, zc_arena *arena)
{
    contract_interleaved *own = zc_arena_take(arena, 1, sizeof *own);
    if (own == NULL)
        return ZC_NOT_PREPARED;
    (void)find(p, own); /* as cost() has found */
    const int64_t all = along(own)->size, batches = own->kind == BATCHES ? 1 : own->shape.batches.size;
    const int64_t fitting = zc_larger(CACHED_BYTES / bytes_of_lane(own) / LEAST_LANES * LEAST_LANES, LEAST_LANES);
    own->lanes = zc_smaller(zc_smaller(fitting, MOST_LANES), all);
    const int64_t share = all / zc_divide_up(zc_contract_least_units(p), batches);
    own->of_unit = own->lanes * zc_smaller(zc_larger(share / own->lanes, 1), MOST_GROUPS_OF_UNIT);
    own->units = zc_divide_up(all, own->of_unit);
    p->units = own->units * batches; /* proven: not more than the domain's size */
    p->own = own;
    return ZC_PREPARED;
}

/* ---- Scratch memory ---- */

typedef struct interleaved {
    zc_tile_worker *w;
    const contract_interleaved *own;
    zc_contract_batch at;     /* batch of the first lane's factors and result */
    int64_t *x_from, *y_from; /* [x.count], [y.count]: offsets of a panel's factors in memory */
    bool x_is_run, y_is_run;  /* the panel's factors are next to each other in memory */
    int64_t *lane_at;         /* [lanes]: offsets of lanes in memory */
    int64_t *x_at, *y_at;     /* [ZC_CHAIN]: offsets of products in panels */
    char *x, *y;              /* panels */
    char *sums, *turned;      /* [results][lanes], [lanes][results] */
    char *lines;
} interleaved;

static size_t panel_bytes(const contract_interleaved *own, int64_t elements)
{
    return zc_align_data((size_t)(elements * own->lanes) * own->shape.item);
}

static size_t scratch_bytes(const zc_tile_program *p)
{
    const contract_interleaved *own = p->own;
    const int64_t offsets = own->x.count + own->y.count + own->lanes + 2 * ZC_CHAIN;
    return panel_bytes(own, own->x.count) + panel_bytes(own, own->y.count) + 2 * panel_bytes(own, own->results) +
           ZC_CONTRACT_LINE_BYTES + (size_t)offsets * sizeof(int64_t);
}

/* Finds the offsets of a contraction's factors, in the order of its panel. True when they are next to each other. */
static bool find_factors(const panel_order *order, const zc_contract_walk *products, int64_t length,
                         const zc_contract_walk *others, int64_t *from)
{
    bool is_run = true;
    for (int64_t i = 0; i < order->count; i++) {
        const int64_t product = i / order->product_step % length;
        const int64_t other = order->product_step == 1 ? i / length : i % order->product_step;
        from[i] = zc_contract_offset(products, product) + zc_contract_offset(others, other); /* proven: inside */
        is_run &= i == 0 || from[i] == from[i - 1] + 1;
    }
    return is_run;
}

static interleaved find_memory(zc_tile_worker *w)
{
    const contract_interleaved *own = w->program->own;
    const zc_contract_shape *s = &own->shape;
    interleaved m = {.w = w,
                     .own = own,
                     .at = zc_contract_find_batch(w->program, s, own->kind == BATCHES ? 0 : w->unit / own->units),
                     .x = w->own};
    m.y = m.x + panel_bytes(own, own->x.count);
    m.sums = m.y + panel_bytes(own, own->y.count);
    m.turned = m.sums + panel_bytes(own, own->results);
    m.lines = m.turned + panel_bytes(own, own->results);
    m.x_from = (int64_t *)(void *)(m.lines + ZC_CONTRACT_LINE_BYTES);
    m.y_from = m.x_from + own->x.count;
    m.lane_at = m.y_from + own->y.count;
    m.x_at = m.lane_at + own->lanes;
    m.y_at = m.x_at + ZC_CHAIN;
    m.x_is_run =
        find_factors(&own->x, &s->products.x, s->products.size, own->kind == ROWS ? &no_axes : &s->rows.x, m.x_from);
    m.y_is_run = find_factors(&own->y, &s->products.y, s->products.size,
                              own->kind == COLUMNS ? &no_axes : &s->columns.y, m.y_from);
    return m;
}

/* ---- Running ---- */

/* Factors of one operand of n contractions, from where those of the first one's batch or column begin. */
typedef struct factors {
    const char *from;
    const int64_t *at;
    int64_t count;
    bool are_run;
    const zc_contract_walk *lanes;
    char *to;
} factors;

static void pack(const interleaved *m, const factors *f, int64_t first, int64_t n)
{
    const zc_kernels *kernels = m->w->program->kernels;
    const int64_t item = (int64_t)m->own->shape.item, step = zc_contract_stride(f->lanes);
    if (f->lanes->count <= 1 && f->count <= FEW_FACTORS) {
        for (int64_t i = 0; i < f->count; i++)
            kernels->pack[m->own->shape.dtype](f->to + i * n * item, f->from + (f->at[i] + first * step) * item, step,
                                               n); /* proven: verified to be inside */
        return;
    }
    if (f->lanes->count <= 1 && f->are_run) {
        const char *from = f->from + (f->at[0] + first * step) * item; /* proven: likewise */
        kernels->transpose[zc_item_size((size_t)item)](f->to, from, step, f->count, n);
        return;
    }
    zc_contract_offsets(f->lanes, first, n, m->lane_at);
    const zc_contract_part part = {f->from, f->at, m->lane_at, f->count, n};
    zc_contract_pack(kernels, m->own->shape.dtype, &part, f->to, n, m->lines);
}

/* The sums of n contractions whose factors are packed. */
static void contract(const interleaved *m, int64_t n)
{
    const contract_interleaved *own = m->own;
    const zc_contract_shape *s = &own->shape;
    const int64_t item = (int64_t)s->item, lane = n * item;
    for (int64_t k = 0; k < s->products.size; k++) {
        m->x_at[k] = k * own->x.product_step * n; /* proven: inside the panel */
        m->y_at[k] = k * own->y.product_step * n; /* proven: likewise */
    }
    zc_contract_batches chain = {.x_at = m->x_at, .y_at = m->y_at, .length = s->products.size, .count = n};
    const bool x_is_right = zc_contract_x_is_right(s);
    if (x_is_right)
        chain.x_at = m->y_at, chain.y_at = m->x_at;
    for (int64_t r = 0; r < own->results; r++) {
        const char *x = m->x + r / own->columns * own->x.other_step * lane;
        const char *y = m->y + r % own->columns * own->y.other_step * lane;
        chain.x = x_is_right ? y : x;
        chain.y = x_is_right ? x : y;
        chain.sums = m->sums + r * lane;
        m->w->program->kernels->contract[s->dtype].batches(&chain);
    }
    zc_tile_count(m->w, n * own->results * s->products.size); /* proven: not more than the domain's size */
}

/* The results of n contractions from the first on. */
static void store(const interleaved *m, int64_t first, int64_t n)
{
    const contract_interleaved *own = m->own;
    const zc_contract_walk *lanes = &along(own)->result;
    const int64_t item = (int64_t)own->shape.item, results = own->results;
    if (results == 1) {
        zc_contract_store(m->w, lanes, m->at.result, first, m->sums, n);
        return;
    }
    m->w->program->kernels->transpose[zc_item_size((size_t)item)](m->turned, m->sums, n, n, results);
    if (lanes->count == 1 && lanes->stride[0] == results) {
        zc_contract_store_together(m->w, m->at.result + first * results * item, m->turned, n * results);
        return;
    }
    for (int64_t l = 0; l < n; l++) {
        char *to = m->at.result + zc_contract_offset(lanes, first + l) * item;
        zc_contract_store_together(m->w, to, m->turned + l * results * item, results);
    }
}

static void run_unit(zc_tile_worker *w)
{
    const interleaved m = find_memory(w);
    const contract_interleaved *own = m.own;
    const factors x = {m.at.x, m.x_from, own->x.count, m.x_is_run, own->kind == COLUMNS ? &no_axes : &along(own)->x,
                       m.x};
    const factors y = {m.at.y, m.y_from, own->y.count, m.y_is_run, own->kind == ROWS ? &no_axes : &along(own)->y, m.y};
    const int64_t begin = w->unit % own->units * own->of_unit, end = zc_smaller(begin + own->of_unit, along(own)->size);
    for (int64_t first = begin, n; first < end && !w->progress.is_stopped; first += n) {
        n = zc_smaller(own->lanes, end - first);
        const bool is_other = first == begin || n < own->lanes; /* than what was repeated */
        if (is_other || own->kind != COLUMNS)
            pack(&m, &x, first, n);
        if (is_other || own->kind != ROWS)
            pack(&m, &y, first, n);
        contract(&m, n);
        store(&m, first, n);
    }
}

const zc_strategy zc_strategy_contract_interleaved = {.name = "contract_interleaved",
                                                      .cost = cost,
                                                      .prepare = prepare,
                                                      .scratch_bytes = scratch_bytes,
                                                      .run_unit = run_unit};
