#include "materialize/tile/program/positions.h"

#include <string.h>

/* ---- Finding ---- */

/* Tells a comparison of two positions, or of one and a constant. */
static bool compares_positions(const zc_tile_program *p, int32_t v)
{
    const zc_value *values = p->stage->values, *value = &values[v];
    if (value->kind != ZC_VALUE_OP || !zc_op_compares((zc_op)value->op) || p->blocks.values[v].is_strip)
        return false;
    int positions = 0;
    for (int i = 0; i < 2; i++) {
        const zc_value *operand = &values[value->arg[i]];
        positions += operand->kind == ZC_VALUE_INDEX;
        if (operand->dtype != ZC_INT64 || (operand->kind != ZC_VALUE_INDEX && operand->kind != ZC_VALUE_CONSTANT))
            return false;
    }
    return positions > 0;
}

/* Lets a value have elements that another one reads, or the stage stores. */
static void need(const zc_tile_program *p, int32_t v)
{
    p->blocks.values[v].is_implied = false;
}

void zc_tile_find_compared_positions(zc_tile_program *p)
{
    const zc_stage *stage = p->stage;
    zc_tile_value *values = p->blocks.values;
    int count;
    for (int32_t v = 0; v < stage->value_count; v++) {
        values[v].compares_positions = compares_positions(p, v);
        values[v].is_implied = stage->values[v].kind == ZC_VALUE_INDEX || stage->values[v].kind == ZC_VALUE_CONSTANT;
    }
    for (int32_t v = 0; v < stage->value_count; v++) {
        for (int i = 0; i < stage->values[v].arity && !values[v].compares_positions; i++)
            need(p, stage->values[v].arg[i]);
    }
    const int32_t *besides = zc_stage_besides(stage, &count);
    for (int i = 0; i < count; i++)
        need(p, besides[i]);
    need(p, stage->value_count - 1);
}

/* ---- Filling ---- */

void zc_tile_fill_positions(const zc_tile_worker *w, int32_t v, char *out)
{
    const zc_tile_program *p = w->program;
    const zc_tile_access a = zc_tile_find_access(w, p->stage->values[v].access);
    int64_t *to = (int64_t *)(void *)out;
    if (p->blocks.values[v].is_per_row) {
        p->kernels->index(to, a.at, a.row_stride, w->rows);
        return;
    }
    for (int64_t r = 0; r < w->rows; r++)
        p->kernels->index(to + r * w->columns, a.at + r * a.row_stride, a.col_stride, w->columns);
}

/* ---- Comparing ---- */

/* The first element of a tile, and by how much one row and one column move on. */
typedef struct line {
    int64_t at, row, column;
} line;

/* No position is negative, so all negative constants are as good as -1. */
static line find_line(const zc_tile_worker *w, int32_t v)
{
    const zc_value *value = &w->program->stage->values[v];
    if (value->kind == ZC_VALUE_INDEX) {
        const zc_tile_access a = zc_tile_find_access(w, value->access);
        return (line){a.at, a.row_stride, a.col_stride};
    }
    int64_t number;
    memcpy(&number, value->constant->bytes, sizeof number);
    return (line){zc_larger(number, -1), 0, 0};
}

/* The comparison of y with x that x has with y. */
static zc_op mirror(zc_op op)
{
    switch (op) {
    case ZC_OP_LESS:
        return ZC_OP_GREATER;
    case ZC_OP_LESS_EQUAL:
        return ZC_OP_GREATER_EQUAL;
    case ZC_OP_GREATER:
        return ZC_OP_LESS;
    case ZC_OP_GREATER_EQUAL:
        return ZC_OP_LESS_EQUAL;
    default:
        return op;
    }
}

/* The first of `count` columns whose number `from + column * step` is at least `least`; count where there is none. How
 * far numbers are apart may be more than int64 holds. */
static int64_t find_first(int64_t from, uint64_t step, int64_t least, int64_t count)
{
    if (from >= least)
        return 0;
    const uint64_t missing = (uint64_t)least - (uint64_t)from;
    if (step == 0 || (missing - 1) / step >= (uint64_t)count)
        return count;
    return (int64_t)((missing - 1) / step) + 1;
}

/* Fills a row: how far x is above y begins with `apart` and grows by `step` per column. */
static void fill_row(zc_op op, int64_t apart, uint64_t step, char *row, int64_t count)
{
    const int64_t equal = find_first(apart, step, 0, count), above = find_first(apart, step, 1, count);
    const bool is_below = op == ZC_OP_LESS || op == ZC_OP_LESS_EQUAL || op == ZC_OP_NOT_EQUAL;
    const bool is_equal = op == ZC_OP_LESS_EQUAL || op == ZC_OP_GREATER_EQUAL || op == ZC_OP_EQUAL;
    const bool is_above = op == ZC_OP_GREATER || op == ZC_OP_GREATER_EQUAL || op == ZC_OP_NOT_EQUAL;
    memset(row, is_below, (size_t)equal);
    memset(row + equal, is_equal, (size_t)(above - equal));
    memset(row + above, is_above, (size_t)(count - above));
}

void zc_tile_compare_positions(const zc_tile_worker *w, int32_t v, char *out)
{
    const zc_value *value = &w->program->stage->values[v];
    const int64_t columns = w->program->blocks.values[v].is_per_row ? 1 : w->columns;
    line x = find_line(w, value->arg[0]), y = find_line(w, value->arg[1]);
    zc_op op = (zc_op)value->op;
    if (x.column < y.column) {
        const line swapped = x;
        x = y;
        y = swapped;
        op = mirror(op);
    }
    for (int64_t r = 0; r < w->rows; r++) /* proven: positions from 0 on, or constants from -1 on */
        fill_row(op, x.at + r * x.row - (y.at + r * y.row), (uint64_t)x.column - (uint64_t)y.column, out + r * columns,
                 columns);
}
