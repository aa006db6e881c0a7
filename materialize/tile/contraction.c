#include "materialize/tile/contraction.h"

#include <string.h>

/* ---- The axes ---- */

static int64_t stride_of(const zc_tile_program *p, int32_t value, int axis)
{
    const zc_value *v = &p->stage->values[value];
    return v->kind == ZC_VALUE_LOAD ? zc_tile_load_stride(p, v->access, axis) : 0;
}

static void add_axis(const zc_tile_program *p, const zc_contract_shape *s, int axis, zc_contract_axes *to)
{
    int at = to->count++;
    to->extent[at] = p->shape[axis];
    to->size *= p->shape[axis]; /* proven: not more than the domain's size */
    to->x[at] = stride_of(p, s->x_value, axis);
    to->y[at] = stride_of(p, s->y_value, axis);
    to->result[at] = axis < p->kept ? p->stride[axis] : 0;
}

static void find_axes(const zc_tile_program *p, zc_contract_shape *s)
{
    s->batches.count = s->rows.count = s->columns.count = s->products.count = 0;
    s->batches.size = s->rows.size = s->columns.size = s->products.size = 1;
    for (int a = 0; a < p->rank; a++) {
        bool moves_x = stride_of(p, s->x_value, a) != 0, moves_y = stride_of(p, s->y_value, a) != 0;
        zc_contract_axes *to = moves_x == moves_y ? &s->batches : moves_x ? &s->rows : &s->columns;
        add_axis(p, s, a, a >= p->kept ? &s->products : to);
    }
}

static bool is_in_memory(const zc_value *value)
{
    return value->kind == ZC_VALUE_LOAD || value->kind == ZC_VALUE_CONSTANT;
}

/* Whether results that are next to each other belong to different rows. */
static bool has_rows_together(const zc_contract_shape *s)
{
    const zc_contract_axes *rows = &s->rows, *columns = &s->columns;
    if (columns->size == 1 || rows->size == 1)
        return columns->size == 1;
    return rows->result[rows->count - 1] == 1 && columns->result[columns->count - 1] != 1;
}

bool zc_contract_find(const zc_tile_program *p, zc_contract_shape *out)
{
    const zc_stage *stage = p->stage;
    const zc_value *product = zc_stage_result(stage);
    if (!stage->contracts || !zc_is_combined(stage) || !is_in_memory(&stage->values[product->arg[0]]) ||
        !is_in_memory(&stage->values[product->arg[1]]))
        return false;
    *out = (zc_contract_shape){.dtype = (zc_dtype)product->dtype,
                               .item = zc_dtype_bytes((zc_dtype)product->dtype),
                               .x_value = product->arg[0],
                               .y_value = product->arg[1]};
    find_axes(p, out);
    if (has_rows_together(out)) {
        out->is_exchanged = true;
        out->x_value = product->arg[1];
        out->y_value = product->arg[0];
        find_axes(p, out);
    }
    return true;
}

int64_t zc_contract_offset(const zc_contract_axes *axes, const int64_t *stride, int64_t at)
{
    int64_t offset = 0;
    for (int a = axes->count - 1; a >= 0; a--) {
        offset += at % axes->extent[a] * stride[a]; /* proven: verified to be inside */
        at /= axes->extent[a];
    }
    return offset;
}

void zc_contract_offsets(const zc_contract_axes *axes, const int64_t *stride, int64_t first, int64_t count,
                         int64_t *out)
{
    const int last = axes->count - 1;
    int64_t done = 0;
    while (done < count) {
        int64_t at = first + done, left = count - done;
        int64_t run = last < 0 ? 1 : zc_smaller(axes->extent[last] - at % axes->extent[last], left);
        int64_t offset = zc_contract_offset(axes, stride, at), step = last < 0 ? 0 : stride[last];
        for (int64_t i = 0; i < run; i++)
            out[done + i] = offset + i * step; /* proven: likewise */
        done += run;
    }
}

const char *zc_contract_base(const zc_tile_program *p, int32_t value)
{
    const zc_value *v = &p->stage->values[value];
    if (v->kind == ZC_VALUE_CONSTANT)
        return (const char *)v->constant.bytes;
    return p->slots[v->slot] + (size_t)p->stage->offset[v->access] * zc_dtype_bytes((zc_dtype)v->dtype);
}

/* ---- Packing ---- */

/* By memcpy: complex numbers are aligned to their parts. */
#define PICK(bytes)                                                                                                    \
    for (int64_t c = 0; c < n; c++)                                                                                    \
    memcpy(to + c * (bytes), from + offsets[c] * (bytes), (bytes))

/* Elements from anywhere. */
static void pick(size_t item, char *to, const char *from, const int64_t *offsets, int64_t n)
{
    switch (item) {
    case 1:
        PICK(1);
        break;
    case 2:
        PICK(2);
        break;
    case 4:
        PICK(4);
        break;
    case 8:
        PICK(8);
        break;
    default:
        PICK(16);
        break;
    }
}

/* Whether all of the part's indices are steps along one axis. */
static bool is_one_axis(const zc_contract_axes *axes, int64_t first, int64_t count)
{
    return axes->count < 2 || first % axes->extent[axes->count - 1] + count <= axes->extent[axes->count - 1];
}

static int64_t last_stride(const zc_contract_axes *axes, const int64_t *stride)
{
    return axes->count == 0 ? 0 : stride[axes->count - 1];
}

void zc_contract_pack(const zc_kernels *kernels, const zc_contract_shape *s, const zc_contract_part *part,
                      const char *from, char *to, int64_t pitch, int64_t *offsets)
{
    const int64_t item = (int64_t)s->item, n = part->columns;
    const int64_t row_step = last_stride(part->row_axes, part->row_stride);
    const int64_t column_step = last_stride(part->column_axes, part->column_stride);
    const bool is_run = is_one_axis(part->column_axes, part->first_column, n);
    from += zc_contract_offset(part->column_axes, part->column_stride, part->first_column) * item;
    if (is_run && row_step == 1 && column_step != 1 && column_step != 0 && n == pitch &&
        is_one_axis(part->row_axes, part->first_row, part->rows)) {
        from += zc_contract_offset(part->row_axes, part->row_stride, part->first_row) * item;
        kernels->transpose[zc_item_size(s->item)](to, from, column_step, part->rows, n);
        return;
    }
    if (!is_run) {
        const int64_t begin = zc_contract_offset(part->column_axes, part->column_stride, part->first_column);
        zc_contract_offsets(part->column_axes, part->column_stride, part->first_column, n, offsets);
        for (int64_t c = 0; c < n; c++)
            offsets[c] -= begin;
    }
    for (int64_t r = 0; r < part->rows; r++, to += pitch * item) {
        const char *row = from + zc_contract_offset(part->row_axes, part->row_stride, part->first_row + r) * item;
        if (!is_run)
            pick(s->item, to, row, offsets, n);
        else if (column_step == 1)
            memcpy(to, row, (size_t)(n * item));
        else
            kernels->pack[s->dtype](to, row, column_step, n);
    }
}
