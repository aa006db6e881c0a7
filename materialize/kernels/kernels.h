/*
 * Kernels: the loops over contiguous elements that every executor is made of, one table per instruction set.
 *
 * Invariant: every table gives the same bits. The tables are compiled from the same sources; the portable one is
 * complete on every machine and serves the reference executor too. docs/kernels.md follows one kernel through them.
 *
 * A kernel reads n elements from each operand and writes n to out; out may be an operand whose elements are as large,
 * and must not overlap operands otherwise. Elements of bool operands count as true when they are not zero; bool results
 * are 0 or 1.
 */
#ifndef ZC_MATERIALIZE_KERNELS_KERNELS_H
#define ZC_MATERIALIZE_KERNELS_KERNELS_H

#include "materialize/kernels/chain.h"
#include "runtime/dtypes/scalar.h"
#include "runtime/ops/order.h"

/* Computes out[i] from the elements i of the operands. With two operands, z may be y to say that all elements of y are
 * equal. */
typedef void zc_map_kernel(void *out, const void *x, const void *y, const void *z, int64_t n);

/* lanes[i % ZC_LANES] joined with elements[i], for i = 0 .. n-1; n is a multiple of ZC_LANES. */
typedef void zc_run_kernel(void *lanes, const void *elements, int64_t n);

/* n values, a power of two of them, joined pairwise, neighbours first, into the first. */
typedef void zc_tree_kernel(void *values, int64_t n);

/* Per column: lanes[r % ZC_LANES] joined with the element of row r = 0 .. rows-1, in order. lanes is
 * [ZC_LANES][columns], rows are `pitch` bytes apart, and there is a multiple of ZC_LANES of them. */
typedef void zc_columns_kernel(void *lanes, const void *elements, int64_t pitch, int64_t columns, int64_t rows);

/* Each of `rows` rows of `length` consecutive elements, at most ZC_LEAF, joined as one leaf of the tree: out[row]. */
typedef void zc_rows_kernel(void *out, const void *elements, int64_t length, int64_t rows, const void *padding);

/* Log sums, the partial results of logsumexp: the largest element and the sum of the exponentials of the elements less
 * it, side by side. */
typedef struct zc_log_sum_kernels {
    zc_map_kernel *lift;   /* log sums of the elements x, each of one */
    zc_map_kernel *absorb; /* the log sums x joined with the elements y */
    zc_map_kernel *join;   /* the log sums x joined with the log sums y */
} zc_log_sum_kernels;

/* Sums of one sum block over all pairs of ZC_DOT_BLOCK_ROWS rows x and as many rows y, each of `length` consecutive
 * elements, at most ZC_LEAF: out[r * ZC_DOT_BLOCK_ROWS + c] of the products of x[r]'s and y[c]'s elements, of the
 * squares of their differences, or of the differences without their signs. */
enum { ZC_DOT_BLOCK_ROWS = 4 };
typedef enum zc_row_dot { ZC_ROW_DOT_PRODUCT, ZC_ROW_DOT_DISTANCE, ZC_ROW_DOT_MAGNITUDE, ZC_ROW_DOT_COUNT } zc_row_dot;
typedef void zc_row_dot_kernel(void *out, const void *const *x, const void *const *y, int64_t length,
                               const void *padding);

/* Sums the same for one row x and a panel of `others`, a multiple of ZC_LANES. It is transposed: element i of row c is
 * panel[i * others + c]. */
typedef void zc_row_panel_kernel(void *out, const void *x, const void *panel, int64_t length, int64_t others);

/* A block of a contraction: products of a factor of each row of x, whose `length` factors are consecutive, and of each
 * column of y, whose rows are `columns` consecutive factors, one row per product. A chain's sums, at most ZC_CHAIN
 * products, are stored, or added to what is there. Rows are so many elements apart. */
typedef struct zc_contract_tile {
    const void *x, *y;
    void *sums;
    int64_t x_row, y_row, sums_row;
    int64_t length; /* 1 at least */
    int rows;
    bool adds;
    bool is_exchanged; /* y is the left operand: the imaginary parts of complex products are added in its order */
    bool is_flipped;   /* the highest bits of the bytes of x, in fours, are the other way round */
    bool is_half;      /* only the first half of the columns; with floats, sums of the others stay as they are */
} zc_contract_tile;
typedef void zc_contract_kernel(const zc_contract_tile *tile);

/* A chain in each of ZC_CONTRACT_LANES lanes: lane l takes the products of x[k][l] and y[k][l], of k up to length. Of
 * complex numbers x is the left operand. */
enum { ZC_CONTRACT_LANES = ZC_CHAINS_END / ZC_CHAIN };
typedef void zc_contract_lanes_kernel(void *sums, const void *x, const void *y, int64_t length);

/* Sums the same for factors whose products are next to each other: lane l takes the products of x[l * x_lane + k] and
 * y[l * y_lane + k]. x_lane 0: all lanes have the same. There is a multiple of ZC_CONTRACT_LANES lanes. Where lanes
 * follow each other, and the next ones are read after them, or where all lanes have one x, `fetched` tells how they
 * come to the caches. */
enum { ZC_INNER_LANES = 2 * ZC_CONTRACT_LANES };
typedef enum zc_fetched {
    ZC_FETCHED_AS_READ,
    ZC_FETCHED_AHEAD,   /* lines that are read next are asked for meanwhile */
    ZC_FETCHED_IN_ORDER /* lines are touched from front to back before */
} zc_fetched;
typedef struct zc_contract_inner {
    const void *x, *y;
    void *sums;
    int64_t x_lane, y_lane, length;
    int lanes;
    bool is_exchanged;  /* as in zc_contract_tile */
    bool is_conjugated; /* the left operand is conjugated, of complex numbers */
    zc_fetched fetched;
} zc_contract_inner;
typedef void zc_contract_inner_kernel(const zc_contract_inner *inner);

/* A chain of each column: sums[c] is of the products of x[k] and y[k * y_row + c], of k up to length. There are as many
 * columns as a vector has lanes at least. */
typedef struct zc_contract_row {
    const void *x, *y;
    void *sums;
    int64_t y_row, length, columns;
    bool is_exchanged; /* as in zc_contract_tile */
} zc_contract_row;
typedef void zc_contract_row_kernel(const zc_contract_row *row);

/* A chain of each of `count` results whose factors are side by side: sums[r] is of the products of x[x_at[k] + r] and
 * y[y_at[k] + r], of k up to length. Of complex numbers x is the left operand. */
typedef struct zc_contract_batches {
    const void *x, *y;
    void *sums;
    const int64_t *x_at, *y_at; /* [length]: offsets of factors, in elements */
    int64_t length, count;
} zc_contract_batches;
typedef void zc_contract_batches_kernel(const zc_contract_batches *batches);

/* Rows by matrices of so few columns that each row of one is a vector, two, or half of one: sums[b][r][c] is of the
 * products of x[b * x_batch + r * x_row + k * x_step] and y[b * y_batch + k * y_row + c]. Whole vectors of y are read,
 * and as many more than the sums are written. */
typedef struct zc_contract_narrow {
    const void *x, *y;
    void *sums;
    int64_t x_batch, x_row, x_step, y_batch, y_row, length, rows, columns, batches;
} zc_contract_narrow;
typedef void zc_contract_narrow_kernel(const zc_contract_narrow *narrow);

/* Rows of four factors, next to each other, by matrices of four by four: sums[b][r][c] is of the products of
 * x[b * x_batch + r * 4 + k] and y[b * y_batch + k * y_row + c]. There is a multiple of four rows. */
enum { ZC_SQUARE_SIDE = 4 };
typedef struct zc_contract_squares {
    const void *x, *y;
    void *sums;
    int64_t x_batch, y_batch, y_row, rows, batches;
} zc_contract_squares;
typedef void zc_contract_squares_kernel(const zc_contract_squares *squares);

/* The kernels of a dtype, the columns of a block, and the rows that its kernel takes best. */
typedef struct zc_contract_kernels {
    zc_contract_kernel *block;
    zc_contract_lanes_kernel *lanes;
    zc_contract_inner_kernel *inner;
    zc_contract_batches_kernel *batches;
    zc_contract_row_kernel *row;         /* NULL: none, but of floats and complex numbers */
    zc_contract_narrow_kernel *narrow;   /* NULL: none, but of float32 and float64; of up to `columns` */
    zc_contract_squares_kernel *squares; /* likewise */
    uint8_t columns, rows;
    uint8_t inner_lanes; /* lanes that `inner` takes best */
} zc_contract_kernels;

/* Integers of 32 bits as pairs of 16 or fours of 8. Of each of `rows` rows of `length` integers, the integers i, i +
 * groups and so on become the bits of the integer i, from the lowest ones on, and rows are `groups` apart, in place;
 * as many groups as that takes at least, and not more than the length. What a group lacks is 0. The order of wrapping
 * sums does not matter, so any products may be a group. */
typedef struct zc_integer_groups {
    void *integers;
    int64_t rows, length, groups;
    bool are_signed, are_flipped; /* in fours, bytes have a sign, and their highest bits are the other way round */
} zc_integer_groups;

/* The highest bit of each byte of a four. */
#define ZC_FLIPPED_BITS UINT32_C(0x80808080)

/* Types that integers fit into. */
enum { ZC_FIT_INT16 = 1, ZC_FIT_INT8 = 2, ZC_FIT_UINT8 = 4 };

typedef struct zc_integer_kernels {
    zc_contract_kernel *pairs;        /* blocks of pairs; NULL: there are no groups */
    zc_contract_kernel *pairs_in_one; /* the same by instructions that zc_has_pairs_in_one() tells of; NULL: none */
    zc_contract_kernel *fours[2];     /* of bytes, where zc_has_fours(): [0] those of y have a sign, [1] those of x */
    int (*fit)(const void *integers, int64_t n); /* types that all of them fit into */
    void (*pair)(const zc_integer_groups *groups);
    void (*part)(const zc_integer_groups *groups); /* undoes pair(); for rows of at most ZC_CHAIN */
    void (*four)(const zc_integer_groups *groups);
    void (*flip)(const zc_integer_groups *groups); /* flips the highest bits of the bytes of fours */
    void (*part_fours)(const zc_integer_groups *groups);
} zc_integer_kernels;

/* Products of bytes, by registers of tiles: sums[r][c] of the products of x[r][k] and y[k][c], for rows in pairs of
 * tiles and the columns of two. ZC_TILE_PRODUCTS products are a step; those that an operand lacks are 0 in both. A
 * row's bytes of a step are next to each other in x; y is [2][steps][16 fours of products][16 columns][4]. */
enum { ZC_TILE_SIDE = 32, ZC_TILE_PRODUCTS = 64 };
typedef struct zc_byte_tiles {
    const void *x, *y;
    void *sums;
    int64_t rows, steps;   /* rows: a multiple of ZC_TILE_SIDE */
    int64_t x_row, x_step; /* distances of rows and steps of x, in bytes */
    int64_t sums_row;      /* distance of rows of sums, in integers of 32 bits */
    bool x_is_signed, y_is_signed;
    bool adds; /* adds to the sums that are there */
} zc_byte_tiles;

typedef struct zc_tile_kernels {
    void (*multiply)(const zc_byte_tiles *tiles); /* NULL: there are none */

    /* Makes a step of y from ZC_TILE_PRODUCTS rows of ZC_TILE_SIDE bytes: to `to`, and `half` bytes behind for the
     * second tile. */
    void (*interleave)(const void *from, int64_t row, void *to, int64_t half);
} zc_tile_kernels;

/* Finds the first i with elements[i] equal to *target, or both NaN; n when there is none. */
typedef int64_t zc_find_kernel(const void *elements, const void *target, int64_t n);

/* Counts the true ones of n bools. */
typedef int64_t zc_count_kernel(const void *bools, int64_t n);

/* Per column, of `count` rows, `pitch` bytes apart, numbered from `row` on: where an element comes before best[i]
 * (smaller, or larger, or the first NaN), takes it and its row's number. */
#define ZC_EXTREME_PARAMETERS                                                                                          \
    void *best, int64_t *best_row, const void *rows, int64_t pitch, int64_t row, int64_t count, int64_t n
typedef void zc_extreme_kernel(ZC_EXTREME_PARAMETERS);

/* n elements, `stride` elements apart on one side, contiguous on the other. stride 0 reads one element n times. */
typedef void zc_strided_kernel(void *out, const void *in, int64_t stride, int64_t n);

/* Rows of `columns` elements that are all the same: row r is in[r * stride]. */
typedef void zc_spread_kernel(void *out, const void *in, int64_t stride, int64_t rows, int64_t columns);

/* out[r * columns + c] = in[c * in_stride + r] for `rows` by `columns` elements of one size. */
typedef void zc_transpose_kernel(void *out, const void *in, int64_t in_stride, int64_t rows, int64_t columns);

/* Returns the number of a size among those that elements have: 1, 2, 4, 8 and 16 bytes. */
enum { ZC_ITEM_SIZES = 5 };
static inline int zc_item_size(size_t bytes)
{
    return bytes < 4 ? (int)bytes - 1 : bytes == 4 ? 2 : bytes == 8 ? 3 : 4;
}

/* Copies `rows` rows of row_bytes consecutive bytes, `pitch` bytes apart in out; whole lines go past the caches. */
typedef void zc_stream_kernel(void *out, int64_t pitch, const void *in, size_t row_bytes, int64_t rows);

/* Copies `count` lines of `bytes` consecutive bytes each: line r begins at from + offset[r] * item, and is copied to
 * to + r * pitch. */
typedef struct zc_lines {
    char *to;
    int64_t pitch; /* bytes */
    const char *from;
    const int64_t *offset; /* elements */
    int64_t item, count;
    size_t bytes; /* 1 at least */
} zc_lines;
typedef void zc_lines_kernel(const zc_lines *lines);

/* Takes every position in -extent .. extent-1 to 0 .. extent-1, and every other one to 0. Tells whether there was no
 * other. */
typedef bool zc_check_kernel(int64_t *out, const int64_t *positions, int64_t extent, int64_t n);

/* Tells whether every position is in 0 .. extent-1. */
typedef bool zc_inside_kernel(const int64_t *positions, int64_t extent, int64_t n);

/* Distances that computed positions move the elements of a run by: position[k][i] * stride[k] elements for each k. */
typedef struct zc_gather_offsets {
    int count;
    const int64_t *position[ZC_MAX_ARITY];
    int64_t stride[ZC_MAX_ARITY];
} zc_gather_offsets;

/* Element i of n is at in + i * stride, moved by the offsets; at least one. */
typedef void zc_gather_kernel(void *out, const void *in, int64_t stride, const zc_gather_offsets *picks, int64_t n);

/* out[place[i]] = in[i]. */
typedef void zc_deal_kernel(void *out, const uint16_t *place, const void *in, int64_t n);

/* to[i * stride + position[i] * position_stride] made of what is there and from[i], one after the other; position NULL:
 * no such term. */
typedef void zc_update_kernel(void *to, const void *from, int64_t stride, const int64_t *position,
                              int64_t position_stride, int64_t n);

/* carry joined with elements[0], that with elements[1] ...: out holds each, carry the last. */
typedef void zc_scan_kernel(void *out, void *carry, const void *elements, int64_t n);

/* carry = carry * factors[0] + elements[0], and so on, rounded twice each: out holds each, carry the last. */
typedef void zc_recurrence_kernel(void *out, void *carry, const void *factors, const void *elements, int64_t n);

/* Bits in which an element and its key differ: `negative` where the highest bit of the element is set, `positive` where
 * it is not. Their own highest bits differ where all keys rise. The elements with the bits minus_zero (0: none), and
 * those that are above infinity without their highest bit, equal others with other bits. */
typedef struct zc_key_bits {
    uint64_t negative, positive, minus_zero, infinity;
} zc_key_bits;

/* Sorting numbers with sign, 4 or 8 bytes wide: the keys of elements. */
typedef struct zc_sort_kernels {
    int64_t most; /* most keys that few() sorts; 0: there are no kernels */
    /* Sorts 0 to `most` keys; out may be in. */
    void (*few)(void *out, const void *in, int64_t n);
    /* Puts keys below the pivot from the beginning on, the others from the end on; returns how many are below. out is
     * not in. */
    int64_t (*divide)(void *out, const void *in, int64_t n, const void *pivot);
    /* Makes keys of elements. False, and nothing is changed, where some elements equal others with other bits. */
    bool (*to_keys)(void *elements, int64_t n, const zc_key_bits *bits);
    void (*from_keys)(void *keys, int64_t n, const zc_key_bits *bits);
    /* Does all of that for rows of up to most / 4 elements, one after the other. Returns the number of sorted rows:
     * those before the first one with elements that equal others with other bits. */
    int64_t (*rows)(void *out, const void *in, int64_t rows, int64_t n, const zc_key_bits *bits);
    /* Finds the places of elements whose key is below that of the limit, or that are NaNs; returns their number. The
     * limit is no NaN. */
    int64_t (*find)(int32_t *places, const void *elements, int64_t n, const void *limit, const zc_key_bits *bits);
} zc_sort_kernels;

typedef struct zc_kernels {
    const char *name;
    const zc_chain_kernels *chains;                      /* NULL: none */
    zc_map_kernel *map[ZC_OP_COUNT][ZC_DTYPE_COUNT];     /* by the operands' dtype; NULL outside the domain */
    zc_map_kernel *cast[ZC_DTYPE_COUNT][ZC_DTYPE_COUNT]; /* [to][from] */
    zc_run_kernel *run[ZC_REDUCTION_COUNT][ZC_DTYPE_COUNT];
    zc_rows_kernel *rows[ZC_REDUCTION_COUNT][ZC_DTYPE_COUNT];
    zc_columns_kernel *columns[ZC_REDUCTION_COUNT][ZC_DTYPE_COUNT];   /* NULL: none, of 16-bit floats */
    zc_tree_kernel *tree[ZC_REDUCTION_COUNT][ZC_DTYPE_COUNT];         /* likewise */
    zc_log_sum_kernels log_sums[ZC_DTYPE_COUNT];                      /* of float32 and float64 */
    zc_row_dot_kernel *row_dot[ZC_ROW_DOT_COUNT][ZC_DTYPE_COUNT];     /* of float32 and float64 */
    zc_row_panel_kernel *row_panel[ZC_ROW_DOT_COUNT][ZC_DTYPE_COUNT]; /* likewise */
    zc_contract_kernels contract[ZC_DTYPE_COUNT];                     /* not of bool and 16-bit floats */
    zc_integer_kernels groups;                                        /* of int32 and uint32 */
    zc_tile_kernels tiles;                                            /* likewise, of what was bytes */
    zc_find_kernel *find[ZC_DTYPE_COUNT];
    zc_count_kernel *count;
    zc_extreme_kernel *extreme[2][ZC_DTYPE_COUNT]; /* [0] smallest, [1] largest */
    zc_strided_kernel *pack[ZC_DTYPE_COUNT];       /* strided in, contiguous out */
    zc_strided_kernel *unpack[ZC_DTYPE_COUNT];     /* contiguous in, strided out */
    zc_spread_kernel *spread[ZC_DTYPE_COUNT];      /* strided in, contiguous rows out */
    zc_gather_kernel *gather[ZC_DTYPE_COUNT];
    zc_deal_kernel *deal[ZC_DTYPE_COUNT];
    zc_transpose_kernel *transpose[ZC_ITEM_SIZES];
    zc_lines_kernel *lines;
    zc_stream_kernel *stream;
    void (*fence)(void); /* orders what was streamed before what other threads are told */
    zc_inside_kernel *are_inside;
    zc_check_kernel *check;
    zc_update_kernel *update[ZC_UPDATE_COUNT][ZC_DTYPE_COUNT]; /* NULL: none, but for integers, float32 and float64 */
    zc_scan_kernel *scan[2][ZC_DTYPE_COUNT];                   /* [0] sums, [1] products; not of bool */
    zc_recurrence_kernel *recurrence[ZC_DTYPE_COUNT];          /* of float32 and float64 */
    void (*index)(int64_t *out, int64_t first, int64_t stride, int64_t n);
    zc_sort_kernels sort[2]; /* [0] keys of 32 bits, [1] of 64 */
} zc_kernels;

#endif
