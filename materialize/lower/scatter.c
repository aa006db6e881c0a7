#include "materialize/lower/scatter.h"

#include "materialize/lower/region.h"
#include "materialize/lower/steps.h"
#include "materialize/stages/scatter.h"
#include "views/overlap.h"

#include <string.h>

/* Part of a scatter that is made: a region, and just the part of the domain that is put there. */
typedef struct part {
    const zc_node *node;
    const zc_region *region;
    zc_view place; /* places of the part of the domain, over the node */
    zc_ranges ranges;
    bool may_meet; /* two elements of the whole domain may have one place: so a part has the same bits */
    bool misses;   /* the only element of a domain without axes, which no part of it leaves out, goes elsewhere */
    bool keeps;    /* some of the region stays as the base has it */
    zc_box kept;   /* box of the elements that stay */
} part;

static zc_step *use_operand(zc_lowering *l, zc_draft *draft, const part *p, int operand)
{
    zc_view edge;
    zc_node_edge_view(p->node, operand, &edge);
    zc_view_clip(&edge, &p->ranges, &edge);
    return zc_use_operand(l, draft, operand, &edge);
}

/* ---- Parts ---- */

/* Tells whether no element of the domain has a place beyond coordinate 0 of a node's axis, before positions move it. */
static bool begins_axis(const zc_view *place, int64_t extent, int64_t stride)
{
    int64_t lowest = place->offset % stride, highest = lowest;
    for (int a = 0; a < place->rank; a++) {
        const int64_t reach = (place->shape[a] - 1) * place->stride[a]; /* proven: inside the node */
        if (place->stride[a] % (stride * extent) == 0)
            continue;
        lowest += zc_smaller(reach, 0);
        highest += zc_larger(reach, 0);
    }
    return place->offset / stride % extent == 0 && lowest >= 0 && highest < stride;
}

/* Finds the axis of the node along which the positions of operand i + 1 alone move, from its beginning on, or -1 where
 * they move along no single one. */
static int moved_axis(const zc_node *node, int i)
{
    const zc_scattered *scattered = node->scattered;
    const zc_taken_axis *moved = &scattered->moved[i];
    int64_t stride[ZC_MAX_RANK];
    zc_view place;
    for (int other = 0; other < scattered->moved_count; other++) {
        if (other != i && moved->stride != 0 && scattered->moved[other].stride == moved->stride)
            return -1;
    }
    zc_node_place(node, &place);
    zc_shape_row_major(node->rank, node->shape, stride);
    for (int k = 0; k < node->rank; k++) {
        if (node->shape[k] == moved->extent && stride[k] == moved->stride &&
            (moved->stride == 0 || begins_axis(&place, moved->extent, moved->stride)))
            return k;
    }
    return -1;
}

/* The box, without gaps, and whole along the axes that positions move along. */
static void widen(const zc_node *node, zc_box *box)
{
    const zc_scattered *scattered = node->scattered;
    zc_box_fill(box);
    for (int i = 0; i < scattered->moved_count; i++) {
        int axis = moved_axis(node, i);
        if (axis < 0) {
            zc_box_whole(node->rank, node->shape, box);
            return;
        }
        box->first[axis] = 0;
        box->count[axis] = node->shape[axis];
    }
}

/* Tells whether the one element of a domain without axes, which no position moves, goes outside the box of a node that
 * has a base. */
static bool misses_element(const zc_node *node, const zc_box *box, const zc_view *place)
{
    zc_box put;
    if (place->rank > 0 || node->scattered->moved_count > 0 || zc_node_base(node) < 0)
        return false;
    zc_box_of_view(place, node->rank, node->shape, &put);
    return zc_box_overlap(box, &put) == 0;
}

/* Finds the regions that are made, and returns their number: those that are demanded, or the whole where the values
 * that go there are no part of the domain. */
static int find_regions(zc_lowering *l, zc_needed *needed)
{
    const zc_node *node = needed->node;
    zc_region *regions = l->regions;
    zc_ranges ranges;
    zc_view place;
    int count = zc_find_regions(l, needed, false, -1);
    zc_node_place(node, &place);
    for (int i = 1; i < count && node->scattered->moved_count > 0; i++)
        zc_box_join(&regions[0].box, &regions[i].box, node->shape, &regions[0].box);
    count = node->scattered->moved_count > 0 ? 1 : count;
    needed->demanded = 0;
    for (int i = 0; i < count; i++) {
        widen(node, &regions[i].box);
        if (!zc_box_clip(&regions[i].box, &place, node->shape, &ranges) &&
            !misses_element(node, &regions[i].box, &place)) {
            zc_box_whole(node->rank, node->shape, &regions[0].box);
            needed->demanded = node->size;
            return 1;
        }
        needed->demanded += zc_box_size(&regions[i].box); /* proven: boxes that were joined lie apart */
    }
    return count;
}

/* Finds the least box around the elements of the region that are not put anew; false where all are. */
static bool find_kept(const part *p, zc_box *kept)
{
    const zc_box *box = &p->region->box;
    zc_box put;
    int differing = 0, axis = 0;
    zc_box_copy(box, kept);
    if ((zc_update_op)p->node->op != ZC_UPDATE_SET || p->may_meet || p->misses || zc_view_size(&p->place) == 0)
        return true;
    zc_box_of_view(&p->place, p->node->rank, p->node->shape, &put);
    if (zc_box_size(&put) != zc_view_size(&p->place)) /* it carries */
        return true;
    for (int k = 0; k < box->rank; k++) {
        if (put.step[k] != 1)
            return true;
        axis = put.count[k] != box->count[k] ? k : axis;
        differing += put.count[k] != box->count[k];
    }
    const int64_t left = differing == 1 ? box->count[axis] - put.count[axis] : 0; /* proven: coordinates */
    const bool begins = left > 0 && put.first[axis] == box->first[axis];
    if (begins)
        kept->first[axis] += put.count[axis]; /* proven: a coordinate */
    if (begins || (left > 0 && put.first[axis] == box->first[axis] + left))
        kept->count[axis] = left;
    return differing > 0;
}

static void find_part(const zc_node *node, const zc_region *region, part *out)
{
    zc_view place;
    zc_node_place(node, &place);
    out->node = node;
    out->region = region;
    out->may_meet = node->scattered->moved_count > 0 || !zc_view_is_injective(&place);
    (void)zc_box_clip(&region->box, &place, node->shape, &out->ranges); /* the whole holds everything */
    zc_view_clip(&place, &out->ranges, &out->place);
    out->misses = misses_element(node, &region->box, &place);
    out->keeps = zc_node_base(node) >= 0 && find_kept(out, &out->kept);
}

/* ---- Stages ---- */

/* Lets the positions move the store. */
static bool move_store(zc_lowering *l, zc_draft *draft, const part *p)
{
    const zc_scattered *scattered = p->node->scattered;
    const size_t count = (size_t)scattered->moved_count;
    int64_t own[ZC_MAX_RANK];
    zc_stage *stage = draft->stage;
    stage->scatter.moves = 0;
    stage->scatter.check = zc_arena_take(&l->plan->arena, count, sizeof *stage->scatter.check);
    stage->scatter.step = zc_arena_take(&l->plan->arena, count, sizeof *stage->scatter.step);
    draft->besides = zc_arena_take(l->plan->scratch, count, sizeof(zc_step *));
    if (stage->scatter.check == NULL || stage->scatter.step == NULL || draft->besides == NULL)
        return false;
    zc_shape_row_major(p->node->rank, zc_region_frame(p->region)->count, own);
    for (int i = 0; i < scattered->moved_count; i++) {
        const zc_taken_axis *moved = &scattered->moved[i];
        zc_step *positions = use_operand(l, draft, p, i + 1);
        if (positions == NULL)
            return false;
        draft->besides[i] = zc_draft_check_positions(l->plan, p->node, (zc_take_kind)scattered->named,
                                                     zc_step_resolve(positions), moved);
        if (draft->besides[i] == NULL)
            return false;
        int axis = moved_axis(p->node, i);
        stage->scatter.step[i] = axis < 0 ? moved->stride : own[axis];
    }
    stage->scatter.moves = scattered->moved_count;
    return true;
}

/* Tells whether all of the base is seen as it is: a node of the same shape. */
static bool sees_whole_base(const zc_node *node, const zc_view *edge)
{
    const zc_node *base = node->edges[zc_node_base(node)].node;
    return zc_shape_equal(node->rank, node->shape, base->rank, base->shape) && base->invariant == 0 &&
           zc_view_is_identity(edge, base->size);
}

/* Describes, in few words, the box whose elements are all in the region's slot: the box of the base, for the elements
 * that a region keeps. */
static const int64_t *describe_frame(zc_lowering *l, const zc_box *frame)
{
    const size_t rank = (size_t)frame->rank;
    int64_t *words = zc_arena_take(l->plan->scratch, 1 + 2 * rank, sizeof *words);
    if (words == NULL)
        return NULL;
    words[0] = frame->rank;
    memcpy(words + 1, frame->first, rank * sizeof *words);
    memcpy(words + 1 + rank, frame->count, rank * sizeof *words);
    return words;
}

/* Reads it as a box of a node. False where it is none: operands of the base may have another shape. */
static bool read_frame(const int64_t *words, const zc_node *node, zc_box *frame)
{
    bool fits = words[0] == node->rank;
    zc_box_whole(node->rank, node->shape, frame);
    for (int k = 0; k < node->rank && fits; k++) {
        frame->first[k] = words[1 + k];
        frame->count[k] = words[1 + node->rank + k];
        frame->is_rows &= k == 0 || frame->count[k] == node->shape[k];
        fits = frame->count[k] <= node->shape[k] - frame->first[k];
    }
    return fits;
}

/* Makes the stage of the elements before others are put: in the slot, in the order of the region. */
static bool make_base(zc_lowering *l, const part *p)
{
    const zc_node *node = p->node;
    const zc_box *kept = &p->kept, *frame = zc_region_frame(p->region);
    const int base = zc_node_base(node);
    zc_view edge;
    zc_node_edge_view(node, base, &edge);
    const bool sees_whole = sees_whole_base(node, &edge);
    for (int k = 0; k < edge.rank; k++) {
        edge.offset += kept->first[k] * edge.stride[k]; /* proven: an element of the edge's view */
        edge.shape[k] = kept->count[k];
    }
    zc_draft *draft = zc_begin_stored(l, &edge, edge.rank, p->region->slot, ZC_STAGE_BASE);
    if (draft == NULL || (sees_whole && (draft->frame = describe_frame(l, frame)) == NULL))
        return false;
    zc_stage *stage = draft->stage;
    stage->store.dtype = (zc_dtype)node->dtype;
    zc_shape_row_major(edge.rank, frame->count, stage->store.stride);
    for (int k = 0; k < edge.rank; k++)
        stage->store.offset += (kept->first[k] - frame->first[k]) * stage->store.stride[k]; /* proven: in the slot */
    draft->result = zc_use_operand(l, draft, base, &edge);
    return draft->result != NULL;
}

static bool put_elements(zc_lowering *l, const part *p, zc_stage_reason reason)
{
    const zc_node *node = p->node;
    zc_view domain, located;
    zc_view_row_major(p->place.rank, p->place.shape, &domain);
    zc_draft *draft = zc_begin_stored(l, &domain, domain.rank, p->region->slot, reason);
    if (draft == NULL)
        return false;
    zc_stage *stage = draft->stage;
    zc_box_locate(zc_region_frame(p->region), &p->place, node->shape, &located);
    draft->may_split = false;
    stage->store.updates = p->keeps;
    stage->store.clears = zc_node_base(node) >= 0 ? 0 : zc_box_size(zc_region_frame(p->region));
    const bool scatters = p->may_meet || (p->keeps && (zc_update_op)node->op != ZC_UPDATE_SET);
    if (scatters) {
        stage->kind = &zc_stage_kind_scatter;
        stage->scatter.update = (zc_update_op)node->op;
    }
    stage->store.dtype = (zc_dtype)node->dtype;
    stage->store.offset = located.offset;
    stage->store.stride = zc_arena_copy(&l->plan->arena, located.stride, (size_t)located.rank, sizeof *located.stride);
    if (stage->store.stride == NULL || (scatters && !move_store(l, draft, p)))
        return false;
    draft->result = use_operand(l, draft, p, 0);
    return draft->result != NULL;
}

/* Lets a region whose elements an update is to keep stand in its slot as they will stand there, so that it may go on in
 * the same memory: if its box lies inside what that slot has all elements of. */
static void find_frame(const zc_needed *needed, zc_region *region)
{
    const zc_node *node = needed->node;
    zc_box kept;
    for (const zc_step *step = needed->steps; step != NULL; step = step->next) {
        const int64_t *words = step->draft->stage->reason == ZC_STAGE_BASE ? step->draft->frame : NULL;
        zc_view view;
        zc_box *frame = &region->frame;
        if (words == NULL || !read_frame(words, node, frame))
            continue;
        zc_step_view(step, &view);
        zc_box_of_view(&view, node->rank, node->shape, &kept);
        region->is_framed = zc_box_contains(&region->box, &kept) && zc_box_contains(frame, &region->box);
        if (region->is_framed)
            return;
    }
}

bool zc_store_scatter(zc_lowering *l, zc_needed *needed, zc_stage_reason reason)
{
    const zc_node *node = needed->node;
    int count = find_regions(l, needed);
    for (int i = 0; i < count; i++) {
        l->regions[i].is_part = false;
        zc_box_view(&l->regions[i].box, node->shape, 0, &l->regions[i].view);
        find_frame(needed, &l->regions[i]);
        if (!zc_add_temporary(l, &l->regions[i], node))
            return false;
        l->plan->slots[l->regions[i].slot].is_taken = needed->is_taken;
        l->plan->slots[l->regions[i].slot].takes_over = needed->takes_over;
    }
    for (int i = 0; i < count; i++) {
        part p;
        find_part(node, &l->regions[i], &p);
        const bool puts = !p.keeps || (zc_view_size(&p.place) > 0 && !p.misses);
        if ((puts && !put_elements(l, &p, reason)) || (p.keeps && !make_base(l, &p)))
            return false;
    }
    return zc_load_regions(l, needed, -1);
}
