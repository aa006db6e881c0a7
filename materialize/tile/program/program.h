/*
 * A tile program: a stage prepared for the tile executor.
 *
 * The stage's domain becomes a loop nest (views/nest.h). A strategy (strategy.h) walks the nest in tiles, each small
 * enough for the caches: a rectangle of `rows` along one axis by `columns` along another, row-major where it is copied.
 * The outer loops walk units of work, which are independent of each other and are shared among threads; the inner loops
 * walk what belongs to one unit, such as the elements of one sum.
 *
 * A program is the same for all tiles: it is made once per stage and shared by the threads, each of which has a worker
 * (worker.h). Everything in it lies in the arena it was made with.
 */
#ifndef ZC_MATERIALIZE_TILE_PROGRAM_PROGRAM_H
#define ZC_MATERIALIZE_TILE_PROGRAM_PROGRAM_H

#include "materialize/execute/executor.h"
#include "materialize/execute/value_kernel.h"
#include "materialize/tile/program/blocks.h"
#include "runtime/memory/arena.h"

/* The most elements of a tile: those of a sum block, and more in a long row when the program has one block, or none: of
 * 4 bytes, and of less as many more. */
enum { ZC_TILE = 1024, ZC_TILE_LONG = 4096, ZC_TILE_LONGEST = 16384 };

/* Columns of a tile whose rows are combined with each other. */
enum { ZC_TILE_COLUMNS = 256 };

/* A loop over an axis of the nest in steps of whole tiles. */
typedef struct zc_tile_loop {
    int axis;
    int64_t step;
    int64_t count; /* number of steps */
} zc_tile_loop;

/* Places of an access's columns that have no stride: runs of consecutive elements, in the order in which they are in
 * memory. */
typedef struct zc_tile_table {
    int64_t length;         /* elements of a run */
    const int64_t *run;     /* [columns / length]: place of each run */
    const uint16_t *column; /* [columns]: column of each element */
    const int64_t *place;   /* [columns]: place of each column, when runs are too short */
} zc_tile_table;

typedef struct zc_tile_program {
    const zc_stage *stage;
    const zc_kernels *kernels;
    char *const *slots;
    int threads; /* threads that may share the work */

    /* The nest. A stage that joins nothing walks only the kept axes. */
    int rank, kept;
    int64_t *shape;  /* [pitch], of which the first `rank` are in use */
    int64_t *stride; /* [1 + access_count][pitch]; row 0 is the store */
    int pitch;
    const int64_t *factors;      /* [2][rank], for a contraction: strides of x, then of y (factors.h); else NULL */
    bool are_exchanged;          /* x is the right operand */
    zc_tile_table *const *table; /* [access_count]: table of columns without a stride, else NULL; or NULL */

    /* Choices of the strategy. */
    const struct zc_strategy *strategy;
    void *own;              /* state of the strategy */
    int row_axis, col_axis; /* -1: none, one row or one column */
    int64_t rows, columns;  /* extents of a full tile */
    int64_t column_step;    /* columns from tile to tile: fewer than `columns` where tiles overlap */
    bool is_streamed;       /* the result goes past the caches */
    bool asks_ahead;        /* operands of later values are asked for while a function is computed */
    bool counts;            /* the last value, a truth as a number, is not computed: the truths are counted */
    bool joins_picked;      /* the last value, rows that are picked, is not computed: they are joined in place */
    bool stores_directly;   /* a tile of one row of the result needs no block: it is computed where it is stored */
    zc_tile_loop *outer;    /* [pitch]: loops over units of work */
    int outer_count;
    zc_tile_loop *inner; /* [pitch]: loops inside a unit */
    int inner_count;
    int64_t units;
    int64_t groups;       /* parts that each unit's elements are divided into among threads; 1: undivided */
    int64_t group_length; /* elements of a part along the only inner axis */
    int64_t joined;       /* results that a full tile of one unit is joined into */
    bool takes_data;      /* the workers' own memory and the results of groups grow with the operands: data memory */

    zc_tile_blocks blocks; /* blocks of the values that are computed */

    /* Worker of a small program of one thread, which keeps it with its memory from run to run; or NULL. Stages that are
     * served by one program share it. */
    struct zc_tile_worker *worker;
} zc_tile_program;

/* Makes the stage's nest, before a strategy is chosen; all memory is the arena's. At most `threads` threads share the
 * work. False when memory is out. */
bool zc_tile_begin(zc_tile_program *program, const zc_stage *stage, char *const *slots, int threads, zc_arena *arena);

/* Sets the defaults of all that strategies need not set. */
void zc_tile_set_defaults(zc_tile_program *program);

/* ---- Queries and settings of strategies ---- */

/* The stride of a load along an axis of the nest. */
static inline int64_t zc_tile_load_stride(const zc_tile_program *p, int32_t access, int axis)
{
    return p->stride[(size_t)(1 + access) * (size_t)p->pitch + (size_t)axis];
}

/* The stride of the store along an axis; 0 along axis -1. */
static inline int64_t zc_tile_store_stride(const zc_tile_program *p, int axis)
{
    return axis < 0 ? 0 : p->stride[axis];
}

/* Tells whether each element of the nest is stored in a place of its own: none is combined, scanned or added. */
bool zc_tile_is_stored(const zc_tile_program *program);

/* Tells elements that are combined along the nest's last axes by the tree of reducer.h, all in one go: from no state
 * (plan/group.h). */
bool zc_tile_is_joined(const zc_tile_program *program);

/* Number of elements that are read consecutively along the axis. */
int64_t zc_tile_consecutive_along(const zc_tile_program *program, int axis);

/* Relative cost of reading along the axis. Accesses that read one by one cost most, however small they are, since they
 * do so for the whole domain; of those that repeat an element, large ones cost something, and those along a short axis
 * as much as one by one. */
enum { ZC_TILE_ONE_BY_ONE = 2 };
int64_t zc_tile_read_cost_along(const zc_tile_program *program, int axis);

/* Counts the picks whose positions vary along the axis: their elements are taken one by one there. */
int32_t zc_tile_picked_one_by_one(const zc_tile_program *program, int axis);

/* Tells whether the last value is rows of consecutive elements along the columns, each picked as a whole. */
bool zc_tile_picks_rows(const zc_tile_program *program);

/* Tells whether the stage's only value is a load. */
bool zc_tile_only_loads(const zc_tile_program *program);

/* Tells whether the stage counts truths by adding them up. */
bool zc_tile_adds_truths(const zc_tile_program *program);

/* The last value that is computed. */
static inline int32_t zc_tile_last_value(const zc_tile_program *p)
{
    return p->counts ? zc_stage_result(p->stage)->arg[0] : p->stage->value_count - 1 - (int32_t)p->joins_picked;
}

/* The elements of a tile that gives every thread several tiles: a multiple of `least`, so that tiles begin with cache
 * lines. INT64_MAX when there is one thread. */
int64_t zc_tile_fair_share(const zc_tile_program *program, int64_t least);

/* Sets the tile's extents: at most `most_columns`, and, when a tile has all columns, rows for at most `most_elements`.
 */
void zc_tile_set_extents(zc_tile_program *program, int64_t most_columns, int64_t most_elements);

/* Makes the loops in steps of tiles: the axes before `outer_end` are walked by units, the others inside a unit. */
void zc_tile_make_loops(zc_tile_program *program, int outer_end);

/* Makes the loop over the axis the innermost of the loops over units. */
void zc_tile_move_loop_to_end(zc_tile_program *program, int axis);

/* Changes the step of the loop over the axis. */
void zc_tile_set_step(zc_tile_program *program, int axis, int64_t step);

/* Sets extents, loops and blocks so that long rows become tiles as long as the caches hold beside the blocks. False
 * when memory is out. */
bool zc_tile_prepare_long(zc_tile_program *program, int outer_end, int64_t fair, zc_arena *arena);

#endif
