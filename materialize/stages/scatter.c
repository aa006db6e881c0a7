#include "materialize/stages/scatter.h"

#include "materialize/execute/evaluator.h"
#include "materialize/kernels/tables/dispatch.h"
#include "materialize/plan/stage_words.h"
#include "views/nest.h"
#include "views/overlap.h"

/* All, where no place is met twice, or none. */
static int free_axes(const zc_stage *stage)
{
    zc_view store = {.rank = stage->kept};
    zc_copy_list(stage->kept, stage->shape, store.shape);
    zc_copy_list(stage->kept, stage->store.stride, store.stride);
    return stage->scatter.moves == 0 && zc_view_is_injective(&store) ? stage->kept : 0;
}

static int32_t *besides(zc_stage *stage, int *count)
{
    *count = stage->scatter.moves;
    return stage->scatter.check;
}

static int moves(const zc_stage *stage, int64_t *extent, int64_t *step)
{
    for (int i = 0; i < stage->scatter.moves; i++) {
        extent[i] = stage->values[stage->scatter.check[i]].extent;
        step[i] = stage->scatter.step[i];
    }
    return stage->scatter.moves;
}

static const char *broken_rule(const zc_stage *stage)
{
    if ((int)stage->scatter.update >= ZC_UPDATE_COUNT)
        return "a stage scatters in one way";
    bool is_moved_by_checks = stage->scatter.moves <= ZC_MAX_RANK;
    for (int i = 0; i < stage->scatter.moves && is_moved_by_checks; i++) {
        const int32_t v = stage->scatter.check[i];
        is_moved_by_checks = v >= 0 && v < stage->value_count && stage->values[v].kind == ZC_VALUE_CHECK;
    }
    return is_moved_by_checks ? NULL : "checks move a store";
}

static void make_element(zc_evaluator *e, char *to)
{
    const zc_stage *stage = e->stage;
    const zc_dtype dtype = stage->store.dtype;
    const zc_op op = zc_update_describe(stage->scatter.update)->op;
    const void *value = zc_evaluate(e)->bytes;
    int64_t moved = 0;
    for (int i = 0; i < stage->scatter.moves; i++)
        moved += e->values[stage->scatter.check[i]].int64 * stage->scatter.step[i]; /* proven: verified to be inside */
    to += moved * (int64_t)zc_dtype_bytes(dtype);
    zc_kernels_portable.map[op][dtype](to, op == ZC_OP_COPY ? value : to, value, NULL, 1);
}

/* ---- Elements that are there ---- */

/* Operands of the nest that is walked: the places, the elements, and the positions of each check. */
enum { TO, FROM, POSITIONS, MOST_OPERANDS = POSITIONS + ZC_MAX_RANK };

/* Number of elements that are put at once. */
enum { BLOCK = 256 };

typedef struct putting {
    const zc_stage *stage;
    const zc_kernels *kernels;
    zc_nest nest; /* whose order stays: of equal places the last one is put last */
    char *at[MOST_OPERANDS];
    size_t item[MOST_OPERANDS];
    int64_t shape[ZC_MAX_RANK], stride[MOST_OPERANDS * ZC_MAX_RANK];
} putting;

/* Adds an operand that a load reads, or a constant. */
static void add_operand(putting *p, const zc_value *value, char *const *slots)
{
    const zc_stage *stage = p->stage;
    const int operand = p->nest.operands++;
    int64_t *stride = p->stride + (ptrdiff_t)operand * ZC_MAX_RANK;
    p->item[operand] = zc_dtype_bytes((zc_dtype)value->dtype);
    for (int a = 0; a < stage->rank; a++)
        stride[a] = 0;
    p->at[operand] = (char *)(uintptr_t)value->constant;
    if (value->kind == ZC_VALUE_CONSTANT)
        return;
    zc_copy_list(stage->rank, stage->stride + (size_t)value->access * (size_t)stage->rank, stride);
    p->at[operand] = slots[value->slot] + stage->offset[value->access] * (int64_t)p->item[operand]; /* proven: inside */
}

static void begin_putting(const zc_stage *stage, char *const *slots, char *to, putting *p)
{
    p->stage = stage;
    p->kernels = zc_kernels_best();
    p->nest =
        (zc_nest){.rank = stage->rank, .operands = 1, .pitch = ZC_MAX_RANK, .shape = p->shape, .stride = p->stride};
    p->at[TO] = to;
    p->item[TO] = zc_dtype_bytes(stage->store.dtype);
    zc_copy_list(stage->rank, stage->shape, p->shape);
    zc_copy_list(stage->rank, stage->store.stride, p->stride);
    add_operand(p, zc_stage_result(stage), slots);
    for (int m = 0; m < stage->scatter.moves; m++)
        add_operand(p, &stage->values[stage->values[stage->scatter.check[m]].arg[0]], slots);
    zc_nest_simplify(&p->nest);
}

/* Number of bytes that an operand steps along the last axis. */
static int64_t step_of(const putting *p, int operand)
{
    const int last = p->nest.rank - 1;
    return last < 0 ? 0
                    : p->stride[operand * ZC_MAX_RANK + last] * (int64_t)p->item[operand]; /* proven: inside memory */
}

/* Finds how far positions move `count` elements of the line, in places: false where all go as far, *together. */
static bool find_moved(const putting *p, int64_t first, int64_t count, int64_t *together, int64_t *moved)
{
    bool varies = false;
    *together = 0;
    for (int m = 0; m < p->stage->scatter.moves; m++) {
        const int64_t step = step_of(p, POSITIONS + m), places = p->stage->scatter.step[m];
        const char *at = p->at[POSITIONS + m] + first * step; /* proven: inside the slot */
        if (step == 0) {
            *together += *(const int64_t *)(const void *)at * places; /* proven: inside what is stored into */
            continue;
        }
        for (int64_t i = 0; i < count; i++, at += step)
            moved[i] = (varies ? moved[i] : 0) + *(const int64_t *)(const void *)at * places; /* proven: likewise */
        varies = true;
    }
    return varies;
}

/* Puts elements of a dtype that has no kernel for it, one at a time. */
static void put_singly(const putting *p, char *to, const char *from, const int64_t *moved, int64_t count)
{
    const zc_op op = zc_update_describe(p->stage->scatter.update)->op;
    zc_map_kernel *kernel = p->kernels->map[op][p->stage->store.dtype];
    const int64_t item = (int64_t)p->item[TO], step = step_of(p, TO);
    for (int64_t i = 0; i < count; i++, from += item) {
        char *element = to + i * step + (moved == NULL ? 0 : moved[i] * item); /* proven: likewise */
        kernel(element, op == ZC_OP_COPY ? from : element, from, NULL, 1);
    }
}

/* Puts elements of a line, from the first one on. */
static void put_block(const putting *p, int64_t first, int64_t count)
{
    const zc_dtype dtype = p->stage->store.dtype;
    const int64_t item = (int64_t)p->item[TO], to_step = step_of(p, TO), from_step = step_of(p, FROM);
    zc_update_kernel *kernel = p->kernels->update[p->stage->scatter.update][dtype];
    _Alignas(zc_scalar) char packed[BLOCK * sizeof(zc_scalar)];
    int64_t moved[BLOCK], together;
    const int64_t *moves = find_moved(p, first, count, &together, moved) ? moved : NULL;
    char *to = p->at[TO] + first * to_step + together * item; /* proven: inside memory */
    const char *from = p->at[FROM] + first * from_step;       /* proven: likewise */
    if (count > 1 && from_step != item) {
        p->kernels->pack[dtype](packed, from, from_step / item, count);
        from = packed;
    }
    if (kernel != NULL)
        kernel(to, from, to_step / item, moves, 1, count);
    else
        put_singly(p, to, from, moves, count);
}

static void put(const zc_stage *stage, char *const *slots, char *to)
{
    putting p;
    int64_t at[ZC_MAX_RANK] = {0};
    int a = 0;
    begin_putting(stage, slots, to, &p);
    const int last = p.nest.rank - 1;
    while (a >= 0) {
        const int64_t count = last < 0 ? 1 : p.shape[last];
        for (int64_t first = 0; first < count; first += BLOCK)
            put_block(&p, first, zc_smaller(count - first, BLOCK));
        for (a = last - 1; a >= 0 && ++at[a] == p.shape[a]; a--) {
            at[a] = 0;
            for (int o = 0; o < p.nest.operands; o++)
                p.at[o] -= (p.shape[a] - 1) * p.stride[o * ZC_MAX_RANK + a] * (int64_t)p.item[o]; /* proven: back */
        }
        for (int o = 0; a >= 0 && o < p.nest.operands; o++)
            p.at[o] += p.stride[o * ZC_MAX_RANK + a] * (int64_t)p.item[o]; /* proven: inside memory */
    }
}

const zc_stage_kind zc_stage_kind_scatter = {
    ZC_STAGE_KIND_ROW(scatter),   .may_meet = true, .free_axes = free_axes,
    .besides = besides,           .moves = moves,   .broken_rule = broken_rule,
    .make_element = make_element, .put = put,
};
