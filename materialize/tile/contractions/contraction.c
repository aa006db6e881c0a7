#include "materialize/tile/contractions/contraction.h"

#include "materialize/plan/group.h"
#include "materialize/stages/contract.h"
#include "materialize/stages/reduce_finalize.h"
#include "materialize/tile/program/store.h"

#include <string.h>

/* ---- The axes ---- */

static bool is_computed(const zc_stage *stage, int32_t value)
{
    return stage->values[value].kind != ZC_VALUE_LOAD && stage->values[value].kind != ZC_VALUE_CONSTANT;
}

static void add_to_walk(zc_contract_walk *walk, int64_t extent, int64_t stride)
{
    const int last = walk->count - 1;
    if (last >= 0 && walk->stride[last] == stride * extent) { /* proven: less than twice the operand */
        walk->extent[last] *= extent;                         /* proven: not more than the domain's size */
        walk->stride[last] = stride;
        return;
    }
    walk->extent[walk->count] = extent;
    walk->stride[walk->count++] = stride;
}

/* Adds an axis along which the operands have these strides. */
static void add_axis(const zc_tile_program *p, int axis, int64_t x, int64_t y, zc_contract_axes *to)
{
    const int64_t extent = p->shape[axis];
    to->size *= extent; /* proven: not more than the domain's size */
    to->axes |= UINT64_C(1) << axis;
    add_to_walk(&to->x, extent, x);
    add_to_walk(&to->y, extent, y);
    add_to_walk(&to->result, extent, axis < p->kept ? p->stride[axis] : 0);
}

static void find_axes(const zc_tile_program *p, zc_contract_shape *s)
{
    zc_contract_axes *const kinds[] = {&s->batches, &s->rows, &s->columns, &s->products};
    const int64_t *x = p->factors, *y = x + p->rank;
    for (int i = 0; i < 4; i++) {
        kinds[i]->size = 1;
        kinds[i]->axes = 0;
        kinds[i]->x.count = kinds[i]->y.count = kinds[i]->result.count = 0;
    }
    for (int a = 0; a < p->rank; a++) {
        zc_contract_axes *to = (x[a] != 0) == (y[a] != 0) ? &s->batches : x[a] != 0 ? &s->rows : &s->columns;
        add_axis(p, a, x[a], y[a], a >= p->kept ? &s->products : to);
    }
}

bool zc_contract_find(const zc_tile_program *p, zc_contract_shape *out)
{
    const zc_stage *stage = p->stage;
    const zc_value *product = zc_stage_result(stage);
    if (p->factors == NULL)
        return false;
    out->dtype = (zc_dtype)product->dtype;
    out->item = zc_dtype_bytes(out->dtype);
    out->is_exchanged = p->are_exchanged;
    out->x_value = product->arg[out->is_exchanged];
    out->y_value = product->arg[!out->is_exchanged];
    find_axes(p, out);
    out->x_is_computed = is_computed(stage, out->x_value);
    out->y_is_computed = is_computed(stage, out->y_value);
    return true;
}

static bool are_equal(const zc_contract_walk *a, const zc_contract_walk *b)
{
    return zc_shape_equal(a->count, a->extent, b->count, b->extent) &&
           zc_shape_equal(a->count, a->stride, b->count, b->stride);
}

/* Tells two loads that begin at the same element, in every block of which the stage is one. */
static bool begin_together(const zc_tile_program *p, const zc_value *x, const zc_value *y)
{
    const zc_stage *stage = p->stage;
    const int64_t *x_stride = stage->stride + (size_t)x->access * (size_t)stage->rank;
    const int64_t *y_stride = stage->stride + (size_t)y->access * (size_t)stage->rank;
    for (int k = 0; stage->member != NULL && k < stage->member->group->rank; k++) {
        if (x_stride[stage->member->outer[k]] != y_stride[stage->member->outer[k]])
            return false;
    }
    return x->slot == y->slot && stage->offset[x->access] == stage->offset[y->access];
}

bool zc_contract_is_symmetric(const zc_tile_program *p, const zc_contract_shape *s)
{
    const zc_value *x = &p->stage->values[s->x_value], *y = &p->stage->values[s->y_value];
    return x->kind == ZC_VALUE_LOAD && y->kind == ZC_VALUE_LOAD && begin_together(p, x, y) &&
           !zc_dtype_is_complex(s->dtype) && are_equal(&s->rows.x, &s->columns.y) &&
           are_equal(&s->products.x, &s->products.y) && are_equal(&s->batches.x, &s->batches.y);
}

bool zc_contract_take_conjugated(const zc_tile_program *p, zc_contract_shape *s)
{
    int32_t *left = s->is_exchanged ? &s->y_value : &s->x_value;
    bool *is_computed = s->is_exchanged ? &s->y_is_computed : &s->x_is_computed;
    const zc_value *v = &p->stage->values[*left];
    const zc_contract_walk *products = s->is_exchanged ? &s->products.y : &s->products.x;
    const zc_contract_walk *batches = s->is_exchanged ? &s->batches.y : &s->batches.x;
    if (!zc_dtype_is_complex(s->dtype) || v->kind != ZC_VALUE_OP || v->op != ZC_OP_CONJ ||
        p->stage->values[v->arg[0]].kind != ZC_VALUE_LOAD || !zc_contract_is_run(products) || batches->count > 1)
        return false;
    *left = v->arg[0];
    *is_computed = false;
    return true;
}

int64_t zc_contract_offset(const zc_contract_walk *walk, int64_t at)
{
    int64_t offset = 0;
    for (int a = walk->count - 1; a > 0; a--) {
        offset += at % walk->extent[a] * walk->stride[a]; /* proven: verified to be inside */
        at /= walk->extent[a];
    }
    return offset + at * zc_contract_stride(walk); /* proven: likewise */
}

void zc_contract_offsets(const zc_contract_walk *walk, int64_t first, int64_t count, int64_t *out)
{
    const int last = walk->count - 1;
    const int64_t extent = last > 0 ? walk->extent[last] : INT64_MAX, step = zc_contract_last_stride(walk);
    for (int64_t done = 0, run; done < count; done += run) {
        const int64_t at = first + done, offset = zc_contract_offset(walk, at);
        run = zc_smaller(extent - at % extent, count - done);
        for (int64_t i = 0; i < run; i++)
            out[done + i] = offset + i * step; /* proven: likewise */
    }
}

/* The operand's first element: a constant is read over and over again, its strides are 0. */
static const char *find_operand(const zc_tile_program *p, int32_t value, const zc_contract_walk *batches, int64_t batch)
{
    const zc_value *v = &p->stage->values[value];
    if (is_computed(p->stage, value))
        return NULL;
    if (v->kind == ZC_VALUE_CONSTANT)
        return (const char *)v->constant->bytes;
    const int64_t at = p->stage->offset[v->access] + zc_contract_offset(batches, batch); /* proven: inside the slot */
    return p->slots[v->slot] + at * (int64_t)zc_dtype_bytes((zc_dtype)v->dtype);
}

zc_contract_batch zc_contract_find_batch(const zc_tile_program *p, const zc_contract_shape *s, int64_t batch)
{
    const int64_t item = (int64_t)s->item;
    const zc_contract_axes *batches = &s->batches;
    return (zc_contract_batch){.x = find_operand(p, s->x_value, &batches->x, batch),
                               .y = find_operand(p, s->y_value, &batches->y, batch),
                               .result = p->slots[p->stage->store.slot] +
                                         (p->stage->store.offset + zc_contract_offset(&batches->result, batch)) * item};
}

/* ---- Sharing ---- */

int64_t zc_contract_least_units(const zc_tile_program *p)
{
    enum { UNITS_PER_THREAD = 2 };
    return p->threads > 1 ? UNITS_PER_THREAD * (int64_t)p->threads : 1;
}

int64_t zc_contract_divide(zc_tile_program *p, int64_t runs)
{
    const int64_t least = zc_contract_least_units(p);
    int64_t at_once = 1;
    if (runs == 1 || p->units >= least)
        return runs;
    while (p->units * (runs / (2 * at_once)) >= 2 * least)
        at_once *= 2;
    p->groups = zc_divide_up(runs, at_once);
    return at_once;
}

#define ADD_IN_ORDER(type)                                                                                             \
    do {                                                                                                               \
        type sum = ((const type *)(const void *)chains)[0];                                                            \
        for (int64_t c = 1; c < count; c++)                                                                            \
            sum += ((const type *)(const void *)chains)[c];                                                            \
        memcpy(to, &sum, sizeof sum);                                                                                  \
    } while (0)

void zc_contract_add_in_order(const zc_counter *counter, zc_dtype dtype, const char *chains, int64_t count, char *to)
{
    if (dtype == ZC_FLOAT32)
        ADD_IN_ORDER(float);
    else if (dtype == ZC_FLOAT64)
        ADD_IN_ORDER(double);
    else {
        memcpy(to, chains, counter->item);
        for (int64_t c = 1; c < count; c++)
            counter->join(to, to, chains + c * (int64_t)counter->item, NULL, 1);
    }
}

/* A run, from a product on: a chain at a time, or all of its chains. */
static void sum_run(const zc_contract_sums *s, const void *user, int64_t product)
{
    const int64_t end = zc_smaller(product + ZC_CHAINS_END, s->products), count = s->counter.width;
    const int64_t bytes = count * (int64_t)s->counter.item, step = s->makes_runs ? ZC_CHAINS_END : ZC_CHAIN;
    for (int64_t at = product; at < end && !s->worker->progress.is_stopped; at += step) {
        const int64_t length = zc_smaller(step, end - at), chains = zc_divide_up(length, ZC_CHAIN);
        s->make(user, at, length, s->chain);
        if (at == product)
            memcpy(s->sums, s->chain, (size_t)bytes);
        for (int64_t c = at == product; c < chains; c++)
            s->counter.join(s->sums, s->sums, s->chain + c * bytes, NULL, count);
        zc_tile_count(s->worker, count * length); /* proven: not more than the domain's size */
    }
}

void zc_contract_sum_runs(zc_contract_sums *s, const void *user, int64_t first, int64_t runs)
{
    const int64_t end = zc_smaller(first + runs, zc_divide_up(s->products, ZC_CHAINS_END));
    for (int64_t r = first; r < end && !s->worker->progress.is_stopped; r++) {
        sum_run(s, user, r * ZC_CHAINS_END);
        if (end - first > 1)
            zc_counter_push(&s->counter, s->sums, 0);
    }
    if (s->counter.leaves > 0)
        zc_counter_end(&s->counter, s->sums);
}

void zc_contract_join_groups(const zc_tile_program *p, zc_counter *counter, const char *results, char *sums)
{
    for (int64_t group = 0; group < p->groups; group++)
        zc_counter_push(counter, results + group * p->joined * (int64_t)counter->item, 0);
    zc_counter_end(counter, sums);
}

/* ---- Storing ---- */

void zc_contract_store(const zc_tile_worker *w, const zc_contract_walk *results, char *to, int64_t first, char *sums,
                       int64_t n)
{
    const zc_stage *stage = w->program->stage;
    const int last = results->count - 1;
    const int64_t item = (int64_t)zc_dtype_bytes((zc_dtype)zc_stage_result(stage)->dtype);
    zc_finalize(stage, sums, NULL, sums, n);
    for (int64_t done = 0, run; done < n; done += run) {
        const int64_t at = first + done;
        run = last < 0 ? n : zc_smaller(results->extent[last] - at % results->extent[last], n - done);
        zc_tile_store_run(w, to + zc_contract_offset(results, at) * item, sums + done * item,
                          last < 0 ? 1 : results->stride[last], run);
    }
}

void zc_contract_store_together(const zc_tile_worker *w, char *to, char *sums, int64_t n)
{
    static const zc_contract_walk together = {1, {INT64_MAX}, {1}};
    zc_contract_store(w, &together, to, 0, sums, n);
}

int64_t zc_contract_find_run(const zc_contract_walk *batches, int64_t dense, int64_t batch, int64_t most)
{
    const int64_t first = zc_contract_offset(batches, batch);
    int64_t run = 1;
    if (batches->count <= 1)
        return zc_contract_stride(batches) == dense ? most : 1;
    while (run < most && zc_contract_offset(batches, batch + run) == first + run * dense)
        run++;
    return run;
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

/* Offsets from `first` on that are `step` apart. */
static int64_t run_of(const int64_t *at, int64_t first, int64_t count, int64_t step)
{
    int64_t end = first + 1;
    while (end < count && at[end] - at[end - 1] == step)
        end++;
    return end - first;
}

static int64_t count_runs(const int64_t *at, int64_t count)
{
    int64_t runs = 1;
    for (int64_t i = 1; i < count; i++)
        runs += at[i] - at[i - 1] != 1;
    return runs;
}

/* The part at hand, and where it goes. */
typedef struct packing {
    const zc_kernels *kernels;
    const zc_contract_part *part;
    zc_dtype dtype;
    int64_t item, pitch; /* elements */
    char *to, *lines;
} packing;

/* Columns that are next to each other, of all rows. */
static void pack_lines(const packing *k)
{
    const zc_contract_part *part = k->part;
    for (int64_t c = 0, run; c < part->columns; c += run) {
        run = run_of(part->column_at, c, part->columns, 1);
        k->kernels->lines(&(zc_lines){.to = k->to + c * k->item,
                                      .pitch = k->pitch * k->item,
                                      .from = part->from + part->column_at[c] * k->item,
                                      .offset = part->row_at,
                                      .item = k->item,
                                      .count = part->rows,
                                      .bytes = (size_t)(run * k->item)});
    }
}

/* Rows that are next to each other, of all columns, `rows` of them from `first` on: lines, then transposed. */
static void pack_some_rows(const packing *k, int64_t first, int64_t rows)
{
    const zc_contract_part *part = k->part;
    for (int64_t r = first, run; r < first + rows; r += run) {
        run = run_of(part->row_at, r, first + rows, 1);
        k->kernels->lines(&(zc_lines){.to = k->lines + (r - first) * k->item,
                                      .pitch = rows * k->item,
                                      .from = part->from + part->row_at[r] * k->item,
                                      .offset = part->column_at,
                                      .item = k->item,
                                      .count = part->columns,
                                      .bytes = (size_t)(run * k->item)});
    }
    memset(k->lines + part->columns * rows * k->item, 0, (size_t)((k->pitch - part->columns) * rows * k->item));
    k->kernels->transpose[zc_item_size((size_t)k->item)](k->to + first * k->pitch * k->item, k->lines, rows, rows,
                                                         k->pitch);
}

static void pack_transposed(const packing *k)
{
    const zc_contract_part *part = k->part;
    const int64_t step = part->columns > 1 ? part->column_at[1] - part->column_at[0] : 0;
    if (part->columns == k->pitch && run_of(part->row_at, 0, part->rows, 1) == part->rows &&
        run_of(part->column_at, 0, part->columns, step) == part->columns) {
        const char *from = part->from + (part->row_at[0] + part->column_at[0]) * k->item;
        k->kernels->transpose[zc_item_size((size_t)k->item)](k->to, from, step, part->rows, part->columns);
        return;
    }
    const int64_t most = ZC_CONTRACT_LINE_BYTES / (k->pitch * k->item);
    for (int64_t r = 0; r < part->rows; r += most)
        pack_some_rows(k, r, zc_smaller(most, part->rows - r));
}

/* Elements that are not next to each other, row by row; more than one column. */
static void pack_elements(const packing *k)
{
    const zc_contract_part *part = k->part;
    const int64_t step = part->column_at[1] - part->column_at[0];
    const bool is_strided = run_of(part->column_at, 0, part->columns, step) == part->columns;
    char *to = k->to;
    for (int64_t r = 0; r < part->rows; r++, to += k->pitch * k->item) {
        const char *row = part->from + part->row_at[r] * k->item;
        if (is_strided)
            k->kernels->pack[k->dtype](to, row + part->column_at[0] * k->item, step, part->columns);
        else
            pick((size_t)k->item, to, row, part->column_at, part->columns);
    }
}

void zc_contract_pack(const zc_kernels *kernels, zc_dtype dtype, const zc_contract_part *part, char *to, int64_t pitch,
                      char *lines)
{
    enum { LONG = 8 };
    const packing k = {.kernels = kernels,
                       .part = part,
                       .dtype = dtype,
                       .item = (int64_t)zc_dtype_bytes(dtype),
                       .pitch = pitch,
                       .to = to,
                       .lines = lines};
    /* Average length of lines is `columns` divided by the number of lines of a row. */
    const int64_t row_lines = count_runs(part->column_at, part->columns);
    const bool has_long_rows = part->columns >= LONG * row_lines;
    const int64_t column_lines = has_long_rows ? part->rows : count_runs(part->row_at, part->rows);
    if (column_lines < part->rows && part->rows * row_lines > part->columns * column_lines) {
        pack_transposed(&k);
        return;
    }
    if (part->columns < pitch)
        memset(to, 0, (size_t)(part->rows * pitch * k.item));
    if (row_lines < part->columns || part->columns == 1)
        pack_lines(&k);
    else
        pack_elements(&k);
}

/* Copies elements in steps; false: the walk leaps so often that packing is faster. */
static bool copy_steps(const zc_kernels *kernels, zc_dtype dtype, const char *from, const zc_contract_walk *walk,
                       int64_t first, int64_t count, char *to)
{
    enum { LEAST_STEPS = 16 };
    const int last = walk->count - 1;
    const int64_t item = (int64_t)zc_dtype_bytes(dtype), step = zc_contract_last_stride(walk);
    const int64_t extent = last > 0 ? walk->extent[last] : INT64_MAX;
    if (extent < LEAST_STEPS)
        return false;
    for (int64_t done = 0, run; done < count; done += run) {
        const int64_t at = first + done;
        run = zc_smaller(extent - at % extent, count - done);
        kernels->pack[dtype](to + done * item, from + zc_contract_offset(walk, at) * item, step, run);
    }
    return true;
}

const char *zc_contract_take(const zc_kernels *kernels, zc_dtype dtype, const char *from, const zc_contract_walk *walk,
                             int64_t first, int64_t count, const zc_contract_room *room)
{
    static const int64_t only_row = 0;
    if (zc_contract_is_run(walk))
        return from + first * (int64_t)zc_dtype_bytes(dtype); /* proven: verified to be inside */
    if (copy_steps(kernels, dtype, from, walk, first, count, room->to))
        return room->to;
    const zc_contract_part part = {from, &only_row, room->at, 1, count};
    zc_contract_offsets(walk, first, count, room->at);
    zc_contract_pack(kernels, dtype, &part, room->to, count, room->lines);
    return room->to;
}
