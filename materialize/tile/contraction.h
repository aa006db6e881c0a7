/*
 * What strategies for contractions share: which axes of a stage are rows, columns, batches and products, and how blocks
 * of factors come out of memory, however the operands are seen.
 *
 *     sums[batch, row, column] = sum over products of x[batch, row, product] * y[batch, product, column]
 *
 * Rows are the axes along which only x moves, columns those along which only y does, batches those along which both do.
 * x and y are the stage's operands, exchanged where that brings columns next to each other in the result. Several axes
 * of a kind are counted in row-major order, so any view is packed from where it is: a convolution's windows, too.
 */
#ifndef ZC_MATERIALIZE_TILE_CONTRACTION_H
#define ZC_MATERIALIZE_TILE_CONTRACTION_H

#include "materialize/tile/worker.h"

/* Axes of one kind, with the strides of x, y and the result along them. */
typedef struct zc_contract_axes {
    int count;
    int64_t size; /* elements, 1 without axes */
    int64_t extent[ZC_MAX_RANK];
    int64_t x[ZC_MAX_RANK], y[ZC_MAX_RANK], result[ZC_MAX_RANK];
} zc_contract_axes;

typedef struct zc_contract_shape {
    zc_dtype dtype;
    size_t item;
    int32_t x_value, y_value; /* of the stage: loads or constants; */
    bool is_exchanged;        /* x is the right one */
    zc_contract_axes batches, rows, columns, products;
} zc_contract_shape;

/* False when the stage is no contraction, or an operand is not in memory. */
bool zc_contract_find(const zc_tile_program *program, zc_contract_shape *out);

/* How far index `at` of the axes moves, by these strides. */
int64_t zc_contract_offset(const zc_contract_axes *axes, const int64_t *stride, int64_t at);

/* The same of `count` indices from `first` on. */
void zc_contract_offsets(const zc_contract_axes *axes, const int64_t *stride, int64_t first, int64_t count,
                         int64_t *out);

/* The only stride of axes that are one, or none: 0. */
static inline int64_t zc_contract_stride(const zc_contract_axes *axes, const int64_t *stride)
{
    return axes->count == 0 ? 0 : stride[0];
}

/* The operand's first element: a constant is read over and over again, its strides are 0. */
const char *zc_contract_base(const zc_tile_program *program, int32_t value);

/* A rectangle of factors: `rows` by `columns` indices of two kinds of axes from `first_row` and `first_column` on. */
typedef struct zc_contract_part {
    const zc_contract_axes *row_axes, *column_axes;
    const int64_t *row_stride, *column_stride; /* of the operand along these axes */
    int64_t first_row, first_column;
    int64_t rows, columns;
} zc_contract_part;

/* Copies a part of the operand at `from` row by row, rows `pitch` elements apart. `offsets` has room for its columns.
 */
void zc_contract_pack(const zc_kernels *kernels, const zc_contract_shape *shape, const zc_contract_part *part,
                      const char *from, char *to, int64_t pitch, int64_t *offsets);

#endif
