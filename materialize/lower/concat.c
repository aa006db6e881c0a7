/*
 * Concats. Where the domain sees but one operand, that is what it sees: a slice of a concat costs what a slice of the
 * operand costs. Elsewhere the concat, or the part of it that is seen, is assembled: every operand that takes part is a
 * stage of its own, a piece, which stores its slab of one temporary. An operand that is a concat itself is assembled in
 * its slab.
 */
#include "materialize/lower/machine.h"
#include "views/compose.h"

/* Concats inside concats are assembled in place so deep, so many of their operands, and of those that cost less than
 * this. A concat that is repeated in a concat that is repeated would have more pieces than there is time for. */
enum { DEEPEST_NESTED = 8, MOST_NESTED = 64, COSTLY_TO_ASSEMBLE = 8 };

/* How a view moves through a concat. An index of the concat is (row, coordinate along the axis, rest). */
typedef struct motion {
    zc_view row;        /* strides: rows per step */
    zc_view coordinate; /* strides: along the concat's axis */
} motion;

/* False when a step changes these by different amounts at different places. */
static bool find_motion(const zc_node *node, const zc_view *view, motion *out)
{
    zc_view axes;
    axes.rank = node->rank;
    axes.offset = 0;
    int64_t rows = 1;
    for (int a = node->rank - 1; a >= 0; a--) {
        axes.shape[a] = node->shape[a];
        axes.stride[a] = a < node->op && node->shape[a] != 1 ? rows : 0;
        rows *= a < node->op ? node->shape[a] : 1; /* proven: at most the node's size */
    }
    if (!zc_view_compose(&axes, view, &out->row))
        return false;
    for (int a = 0; a < node->rank; a++)
        axes.stride[a] = a == node->op && node->shape[a] != 1;
    return zc_view_compose(&axes, view, &out->coordinate);
}

/* The operand that holds a coordinate. */
static int find_operand(const zc_node *node, int64_t coordinate)
{
    int low = 0, high = node->edge_count - 1;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (node->start[middle] <= coordinate)
            low = middle;
        else
            high = middle - 1;
    }
    return low; /* the last that begins there: the ones before it are empty */
}

/* The operand that the view stays inside of, or -1. */
static int only_operand(const zc_node *node, const zc_view *view, const zc_view *coordinate)
{
    int64_t lowest, highest;
    if (zc_view_size(view) == 0)
        return 0; /* as good as any other */
    zc_view_reach(coordinate, &lowest, &highest);
    int operand = find_operand(node, lowest);
    return highest < node->start[operand + 1] ? operand : -1;
}

/* What a view of the concat that stays inside operand k shows of the operand's node. Per element: the operand has
 * (its extent) instead of (the concat's) coordinates per row, and begins `start` further on. */
static bool see_operand(const zc_node *node, const zc_view *view, const motion *moved, int k, zc_view *out)
{
    int64_t rest = 1;
    for (int a = node->op + 1; a < node->rank; a++)
        rest *= node->shape[a]; /* proven: at most the node's size */
    int64_t missing = (node->shape[node->op] - (node->start[k + 1] - node->start[k])) * rest; /* proven: likewise */
    zc_view own, edge;
    zc_view_copy(view, &own);
    (void)zc_checked_advance(own.offset, -moved->row.offset, missing, &own.offset);
    (void)zc_checked_advance(own.offset, -node->start[k], rest, &own.offset);
    for (int a = 0; a < own.rank; a++)
        (void)zc_checked_advance(own.stride[a], -moved->row.stride[a], missing, &own.stride[a]);
    zc_view_canonicalise(&own);
    zc_node_edge_view(node, k, &edge);
    return zc_view_compose(&edge, &own, out);
}

/* Element `first` to first + length - 1 along an axis. */
static void narrow(const zc_view *view, int axis, int64_t first, int64_t length, zc_view *out)
{
    zc_view_copy(view, out);
    out->shape[axis] = length;
    (void)zc_checked_advance(view->offset, first, view->stride[axis], &out->offset);
    zc_view_canonicalise(out);
}

/* ---- Pieces of a part ---- */

/* The axis of a part along which the coordinate moves; the first where none does, -1 where several do. */
static int find_axis(const zc_view *coordinate)
{
    int moving = 0, count = 0;
    for (int a = 0; a < coordinate->rank; a++) {
        if (coordinate->stride[a] != 0) {
            moving = a;
            count++;
        }
    }
    return count > 1 ? -1 : moving;
}

/* The operand of the piece that begins at `first` along the part's axis, and how long the piece is. */
static int64_t measure_piece(const zc_node *node, const zc_view *coordinate, int axis, int64_t first, int *operand)
{
    int64_t step = coordinate->stride[axis];
    int64_t at = coordinate->offset + first * step; /* proven: a coordinate of the concat */
    *operand = find_operand(node, at);
    if (step == 0)
        return coordinate->shape[axis] - first;
    int64_t ahead = step > 0 ? node->start[*operand + 1] - 1 - at : at - node->start[*operand];
    return zc_smaller(ahead / (step > 0 ? step : -step) + 1, coordinate->shape[axis] - first);
}

/* What the piece shows of its operand. */
static bool see_piece(const zc_node *node, const zc_view *part, int axis, int64_t first, int64_t length, int operand,
                      zc_view *out)
{
    zc_view view;
    motion moved;
    narrow(part, axis, first, length, &view);
    (void)find_motion(node, &view, &moved); /* as of the whole part */
    return see_operand(node, &view, &moved, operand, out);
}

/* Whether a part can be assembled: each of its pieces is a view of an operand. It has an axis, since a single element
 * lies inside one operand. */
static bool can_assemble(const zc_node *node, const zc_view *part)
{
    motion moved;
    zc_view shown;
    int axis = find_motion(node, part, &moved) ? find_axis(&moved.coordinate) : -1;
    if (axis < 0)
        return false;
    int operand;
    for (int64_t first = 0, length; first < part->shape[axis]; first += length) {
        length = measure_piece(node, &moved.coordinate, axis, first, &operand);
        if (!see_piece(node, part, axis, first, length, operand, &shown))
            return false;
    }
    return true;
}

zc_outcome zc_enter_concat(zc_machine *m, zc_task *t, zc_frame *f)
{
    const zc_node *node = f->seen.node;
    zc_view view, part, through, shown;
    motion moved;
    zc_builder_view(&t->builder, &f->seen, &view);
    if (find_motion(node, &view, &moved)) {
        int operand = only_operand(node, &view, &moved.coordinate);
        if (operand >= 0 && see_operand(node, &view, &moved, operand, &shown))
            return zc_see(m, node->edges[operand].node, &shown, &f->seen) ? ZC_LOWER_DESCEND : ZC_LOWER_FAILED;
    }
    zc_part_of_view(&view, &part, &through);
    if (zc_part_is_small(m, node, &part) && can_assemble(node, &part))
        return zc_use_part(m, t, &f->seen, &part, &through, ZC_STAGE_PIECE);
    return zc_use_rows(m, t, &f->seen, ZC_STAGE_PIECE);
}

/* ---- Assembling ---- */

/* The next slab of an assembly, with those around it. NULL when memory is out. */
static zc_slab *add_slab(zc_machine *m, const zc_task *t, int64_t length)
{
    const zc_assembly *a = &t->assembly;
    int count = a->slab_count;
    zc_slab *slabs = zc_arena_grow(&m->lowering.plan->arena, a->slabs, (size_t)count, (size_t)count + 1, sizeof *slabs);
    if (slabs != NULL)
        slabs[count] = (zc_slab){a->axis, a->next, length, t->part.shape[a->axis]};
    return slabs;
}

/* Whether what is shown of a piece's operand is assembled where it goes, rather than in memory of its own: a concat
 * too. Cheap ones: another use of them makes them again. */
static bool is_nested(const zc_assembly *around, const zc_node *node, const zc_view *shown)
{
    if (node->kind != ZC_NODE_CONCAT || zc_node_data(node) != NULL || around->slab_count + 1 >= DEEPEST_NESTED ||
        around->outermost->nested + node->edge_count > MOST_NESTED || zc_view_size(shown) == 0)
        return false;
    for (int k = 0; k < node->edge_count; k++) {
        if (node->edges[k].node->cost >= COSTLY_TO_ASSEMBLE)
            return false;
    }
    return can_assemble(node, shown);
}

static bool begin_piece(zc_machine *m, zc_task *t, const zc_view *coordinate)
{
    zc_assembly *a = &t->assembly;
    zc_view shown;
    int operand;
    int64_t length = measure_piece(t->node, coordinate, a->axis, a->next, &operand);
    (void)see_piece(t->node, &t->part, a->axis, a->next, length, operand, &shown); /* can_assemble(), or whole rows */
    const zc_node *node = t->node->edges[operand].node;
    bool nested = is_nested(a, node, &shown);
    zc_task *piece = zc_task_push(m, nested ? ZC_TASK_ASSEMBLY : ZC_TASK_PIECE, node, &shown, ZC_STAGE_PIECE);
    if (piece == NULL)
        return false;
    piece->assembly.slabs = add_slab(m, t, length);
    piece->assembly.slab_count = a->slab_count + 1;
    piece->assembly.outermost = a->outermost;
    a->outermost->nested += nested ? node->edge_count : 0;
    a->next += length;
    return piece->assembly.slabs != NULL && (nested || zc_task_begin(m, piece, node, &shown, false));
}

/* All pieces of the assembly are there: it ends, or hands them to the one around it. */
static bool finish(zc_machine *m, zc_task *t)
{
    m->top = t->below;
    if (t->assembly.slab_count == 0)
        return zc_finish_assembly(&m->lowering, t->node, &t->part, t->assembly.pieces);
    *t->below->assembly.last = t->assembly.pieces;
    t->below->assembly.last = t->assembly.last;
    return true;
}

bool zc_assembly_step(zc_machine *m, zc_task *t)
{
    zc_assembly *a = &t->assembly;
    motion moved;
    (void)find_motion(t->node, &t->part, &moved); /* can_assemble(), or whole rows */
    if (a->last == NULL) {
        a->last = &a->pieces;
        a->outermost = a->outermost != NULL ? a->outermost : a;
        a->axis = find_axis(&moved.coordinate);
    }
    return a->next < t->part.shape[a->axis] ? begin_piece(m, t, &moved.coordinate) : finish(m, t);
}

bool zc_assembly_keep(zc_machine *m, zc_task *piece)
{
    zc_assembly *around = &piece->below->assembly;
    zc_piece *kept = zc_arena_take(&m->lowering.plan->arena, 1, sizeof *kept);
    if (kept == NULL)
        return false;
    *kept = (zc_piece){NULL, piece->builder.stage, piece->assembly.slabs, piece->assembly.slab_count};
    *around->last = kept;
    around->last = &kept->next;
    return true;
}
