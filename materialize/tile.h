/*
 * The tile executor: a stage as a loop over tiles, each small enough to stay in the first-level cache.
 *
 * A tile is a rectangle of the loop nest, `rows` along one axis by `columns` along another. Every value of the stage is
 * computed for a whole tile before the next value: one kernel call per operation, over rows * columns elements that
 * lie row-major in a register (a piece of scratch memory). Loads whose tile lies in memory just so are not copied:
 * the register is the memory itself. A value that does not change along the axis that moves from tile to tile is kept.
 * Where a load is consecutive along another axis than the store, as in a transpose, that axis gives the rows, and the
 * tile is turned: as long along the rows as the cache takes it, so that both sides move many lines at a time.
 *
 * program: what is the same for every tile, made once per stage and shared by the threads.
 * worker:  one thread's registers and where it stands.
 */
#ifndef ZC_MATERIALIZE_TILE_H
#define ZC_MATERIALIZE_TILE_H

#include "materialize/execute.h"
#include "materialize/joiner.h"
#include "runtime/watch.h"

/* Elements of a tile: as a rule, not more than a leaf; in a long row when there is one register, and when there is
 * none; and of a row when rows are joined, which a tile of bare columns has more of. */
enum { ZC_TILE = 1024, ZC_TILE_LONG = 4096, ZC_TILE_LONGEST = 16384, ZC_TILE_COLUMNS = 256, ZC_TILE_BARE_ROWS = 128 };

/* Bytes of a row of bare columns: sixteen such rows, the lanes, stay in the second-level cache. */
enum { ZC_TILE_BARE_BYTES = 8 << 10 };

/* The longest rows whose partners are met by vectors, and bytes of partners: of a tile, in the second-level cache, and
 * of those at a time, in the first. */
enum { ZC_PARTNERS_LENGTH = 128, ZC_PARTNERS_BYTES = 256 << 10, ZC_PARTNERS_BLOCK_BYTES = 16 << 10 };

/* A turned tile: what a row of the load brings in at a time, its most columns (of 8 bytes and more half as many), what
 * all its registers may take of the second-level cache, and its least elements when there are threads to share with. */
enum { ZC_TURNED_RUN_BYTES = 2048, ZC_TURNED_COLUMNS = 128, ZC_TURNED_BYTES = 512 << 10, ZC_TURNED_LEAST = 4096 };

/* How a stage uses its tiles. */
typedef enum zc_tile_mode {
    ZC_TILE_STORE,       /* nothing is joined: each tile is stored */
    ZC_TILE_ROWS,        /* each row of a tile is all the elements of one result */
    ZC_TILE_RUN,         /* all of a tile are consecutive elements of one result */
    ZC_TILE_PAIRS,       /* rows of one load meet rows of another (tile_pairs.c) */
    ZC_TILE_COLUMN,      /* each column of a tile belongs to one result, rows follow each other */
    ZC_TILE_SCAN_RUN,    /* a line at a time is scanned, a tile is a run of it */
    ZC_TILE_SCAN_COLUMN, /* each column of a tile is scanned */
    ZC_TILE_ADD          /* each tile is added to what is stored */
} zc_tile_mode;

/* A loop over an axis of the nest in steps of whole tiles. */
typedef struct zc_tile_loop {
    int axis;
    int64_t step;
    int64_t count; /* of steps */
} zc_tile_loop;

/* A value, prepared. */
typedef struct zc_tile_value {
    uint64_t axes;         /* of the nest along which it varies */
    zc_map_kernel *kernel; /* of an operation */
    size_t item;
    size_t reg;     /* where its register is in the scratch memory */
    bool is_kept;   /* its register is its own: recomputed only when an axis of it moves */
    bool is_small;  /* its register has the elements of a chain's tile: they are the same for all of a tile of the nest,
                       or only the chain that makes them reads them */
    bool is_single; /* small, and chains read no more than its first element, in place */
    int64_t row_step; /* bytes from row to row of a tile by rows; 0 when that is for its chain to know alone */
    int32_t chain;    /* it is computed by that chain, or -1 */
} zc_tile_value;

/* A step of a chain, before it is known where the values are. */
typedef struct zc_tile_link {
    zc_chain_function run;
    int32_t value[2];   /* its operands in memory, or -1; of a store the value that is stored */
    bool is_uniform[2]; /* whether it reads one element of them */
} zc_tile_link;

/* Values that are computed in registers, one after the other, where the last of them stands (tile_chain.c). */
typedef struct zc_tile_chain {
    int32_t last; /* value */
    int32_t link_count;
    const zc_tile_link *links;
} zc_tile_chain;

typedef struct zc_tile_program {
    const zc_stage *stage;
    const zc_kernels *kernels;
    char *const *slots;
    zc_tile_mode mode;
    int rank, kept;  /* of the nest */
    int64_t *shape;  /* [pitch], of which rank count */
    int64_t *stride; /* [1 + access_count][pitch]; row 0 is the store */
    int pitch;
    int row_axis, col_axis; /* -1: none, one row or one column */
    int64_t rows, columns;  /* of a full tile */
    bool is_bare;           /* nothing is computed: tiles are copied, or joined by columns, as they lie there */
    bool is_by_rows;        /* one chain computes a row after the other of a tile, from where loads lie */
    bool is_turned;         /* some load is consecutive along the rows' axis, not along the columns' */
    int64_t shared_columns; /* a tile's last ones are the next one's first: each stores its own whole lines */
    int64_t joined;         /* results that a full tile of one unit is joined into: its columns, or 1 */
    zc_tile_loop *outer;    /* [pitch]: over units of work, */
    int outer_count;
    zc_tile_loop *inner; /* [pitch]: and inside a unit over what is joined */
    int inner_count;
    int threads; /* that may share the work */
    int64_t units;
    int64_t groups;               /* parts that a unit's joined elements are divided into among threads */
    int64_t group_length;         /* elements of a part along the only reduced axis; a power of two of leaves */
    zc_pair_kernel *pair;         /* of pairs, */
    int pair_columns;             /* and which load moves along the columns; */
    zc_partners_kernel *partners; /* of short rows instead of `pair`, */
    int64_t block_columns;        /* and how many of a tile's columns at a time */
    size_t turned_at;             /* [length][columns] elements: their columns' rows */
    zc_tile_value *values;
    zc_tile_chain *chains;
    int32_t chain_count;
    bool is_streamed;     /* its result goes past the caches */
    size_t scratch_bytes; /* per worker: registers, then results, their numbers, and the joiner */
    size_t results_at;    /* [ZC_TILE] elements */
    size_t numbers_at;    /* [ZC_TILE] int64 */
    size_t line_at;       /* [1 + ZC_TILE] elements, of a scan */
    size_t joiner_at;
} zc_tile_program;

/* Prepares a stage; all in the arena. threads is how many could work on it. False when memory is out. */
bool zc_tile_prepare(zc_tile_program *program, const zc_stage *stage, char *const *slots, int threads, zc_arena *arena);

/* How far apart the neighbours along an axis are that a load reads. */
static inline int64_t zc_tile_load_stride(const zc_tile_program *p, int32_t access, int axis)
{
    return p->stride[(size_t)(1 + access) * (size_t)p->pitch + (size_t)axis];
}

/* Bytes of the widest of the stage's values: so any register can follow any, and fewer bytes leave more of the cache
 * to the others. */
size_t zc_tile_widest_item(const zc_tile_program *program);

/* Gives each value a register, all in the arena, and tells how many there are of whole tiles. False when memory is
 * out. */
bool zc_tile_assign_registers(zc_tile_program *program, zc_arena *arena, int32_t *full_count);

/* Where what follows the registers is, and how much there is in all: no more than the tiles of this stage need, since
 * the context keeps it. */
void zc_tile_lay_out(zc_tile_program *program);

typedef struct zc_tile_worker {
    const zc_tile_program *program;
    char *scratch;
    char **reg;                    /* [value_count]: where each value's tile is now */
    int64_t position[ZC_MAX_RANK]; /* first element of the tile, per axis of the nest */
    int64_t rows, columns;         /* of the tile at hand */
    uint64_t moved;                /* axes along which it differs from the tile before */
    bool is_fresh;                 /* nothing is computed yet */
    zc_stray stray;
    zc_pace pace; /* once it is stopped nothing that follows is of use: loops over tiles end */
    zc_joiner joiner;
} zc_tile_worker;

void zc_tile_worker_init(zc_tile_worker *worker, const zc_tile_program *program, char *scratch, char **reg);

/* Whether all that a tile by rows needs is there: one chain, and what it reads where it lies. */
bool zc_tile_works_by_rows(const zc_tile_program *program);

/* Finds what can be computed in chains; all in the arena. False when memory is out. */
bool zc_tile_find_chains(zc_tile_program *program, zc_arena *arena);

/* Whether the tile at hand has enough elements for the chain of a value; if not, the chain's values are computed one by
 * one. */
bool zc_tile_fits_chain(const zc_tile_worker *worker, const zc_tile_value *value);

/* Computes the values of a chain for the tile at hand, whose operands are there. */
void zc_tile_run_chain(zc_tile_worker *worker, const zc_tile_chain *chain, char *out);

/* Moves along an axis; tells the tile's extent there. */
void zc_tile_move(zc_tile_worker *worker, int axis, int64_t to);

/* Counts the tile at hand as done. */
void zc_tile_count(zc_tile_worker *worker);

/* Computes every value for the tile at hand, counts it, and returns where the last one's elements are. `out`, when not
 * NULL, is where they are wanted; they may still be elsewhere. */
const char *zc_tile_evaluate(zc_tile_worker *worker, char *out);

/* Copies the tile at hand of a bare program to rows `pitch` bytes apart, and counts it. */
void zc_tile_copy(zc_tile_worker *worker, char *to, int64_t pitch);

/* As zc_tile_evaluate for what is joined: rows `pitch` bytes apart, of a bare program those of memory. */
const char *zc_tile_rows(zc_tile_worker *worker, int64_t *pitch);

/* Where the element at the worker's position is stored, and how far apart its neighbours along an axis (-1: 0). */
char *zc_tile_store_address(const zc_tile_worker *worker);
int64_t zc_tile_store_stride(const zc_tile_program *program, int axis);

/* Stores n elements, `stride` elements apart. */
void zc_tile_store_run(const zc_tile_worker *worker, char *to, const char *from, int64_t stride, int64_t n);

/* Finds out whether the stage sums over pairs of rows, and along which axes they lie. */
bool zc_tile_find_pairs(zc_tile_program *program);

/* As many partners as fill whole vectors. */
static inline int64_t zc_tile_whole_vectors(int64_t partners)
{
    return (partners + ZC_LANES - 1) / ZC_LANES * ZC_LANES;
}

/* All pairs of the worker's unit. */
void zc_tile_pairs(zc_tile_worker *worker);

/* Adds, and scans, all tiles of the worker's unit in their order (tile_ordered.c). */
void zc_tile_add(zc_tile_worker *worker);
void zc_tile_scan(zc_tile_worker *worker);

#endif
