#include "materialize/lower/region.h"
#include "materialize/lower/steps.h"
#include "materialize/plan/group.h"
#include "views/overlap.h"

/* Most elements that a join computes beyond those demanded: a quarter of these. */
enum { LARGEST_GROWTH = 4 };

static int64_t size_together(const zc_box *a, const zc_box *b)
{
    return zc_box_size(a) - zc_box_overlap(a, b) + zc_box_size(b); /* proven: at most the node's size */
}

static int64_t growth(const zc_box *a, const zc_box *b, const int64_t *shape, zc_box *joined, int64_t *together)
{
    zc_box_join(a, b, shape, joined);
    *together = size_together(a, b);
    return zc_box_size(joined) - *together;
}

/* Joins region `at` with others as long as that pays. Returns the number of regions left. */
static int join_others(zc_region *regions, int count, int at, const int64_t *shape)
{
    zc_box joined;
    int64_t together;
    for (int i = 0; i < count; i++) {
        if (i == at)
            continue;
        int64_t grown = growth(&regions[at].box, &regions[i].box, shape, &joined, &together);
        if (grown > together / LARGEST_GROWTH)
            continue;
        zc_box_copy(&joined, &regions[at].box);
        zc_box_copy(&regions[--count].box, &regions[i].box);
        at = at == count ? i : at;
        i = -1; /* anew, with the larger one */
    }
    return count;
}

/* Joins the two regions that grow the least. */
static int join_closest(zc_region *regions, int count, const int64_t *shape)
{
    int64_t least = INT64_MAX, together;
    int first = 0, second = 1;
    zc_box joined;
    for (int i = 0; i < count; i++) {
        for (int j = i + 1; j < count; j++) {
            int64_t grown = growth(&regions[i].box, &regions[j].box, shape, &joined, &together);
            if (grown < least) {
                least = grown;
                first = i;
                second = j;
            }
        }
    }
    zc_box_join(&regions[first].box, &regions[second].box, shape, &regions[first].box);
    zc_box_copy(&regions[--count].box, &regions[second].box);
    return count;
}

/* Joins all regions into one, where they overlap so much that they have no fewer elements together. */
static int join_all(zc_region *regions, int count, const int64_t *shape)
{
    zc_box all;
    if (count == 1)
        return count;
    zc_box_copy(&regions[0].box, &all);
    for (int i = 1; i < count; i++)
        zc_box_join(&all, &regions[i].box, shape, &all);
    int64_t left = zc_box_size(&all);
    for (int i = 0; i < count && left > 0; i++)
        left -= zc_box_size(&regions[i].box); /* proven: both are at most the node's size */
    if (left > 0)
        return count;
    zc_box_copy(&all, &regions[0].box);
    return 1;
}

static void box_of(const zc_step *step, int from_start, zc_box *box)
{
    const zc_node *node = step->value.node;
    zc_view view;
    zc_step_view(step, &view);
    zc_box_of_view(&view, node->rank, node->shape, box);
    if (node->kind == ZC_NODE_SCATTER) /* elements between are made with it */
        zc_box_fill(box);
    if (from_start < 0)
        return;
    box->count[from_start] = box->first[from_start] + (box->count[from_start] - 1) * box->step[from_start] + 1;
    box->first[from_start] = 0;
    box->step[from_start] = 1;
}

/* ---- Parts: elements that a single view shows ---- */

/* Tells whether all steps see the same part, which is much smaller than the boxes that they would ask for. */
static bool find_part(const zc_needed *needed, int64_t boxes, zc_view *part)
{
    zc_view view, through, other;
    zc_step_view(needed->steps, &view);
    zc_view_part(&view, part, &through);
    int64_t size = zc_view_size(part);
    if (boxes - size <= size / LARGEST_GROWTH)
        return false;
    for (const zc_step *step = needed->steps; step != NULL; step = step->next) {
        zc_step_view(step, &view);
        zc_view_part(&view, &other, &through);
        if (!zc_view_equal(part, &other))
            return false;
    }
    return zc_view_is_injective(part);
}

/* Tells a large node that has several views, or a concat, which has a part for a single view, too, since temporaries in
 * slabs are not turned. */
static bool may_have_parts(const zc_needed *needed)
{
    const bool is_small = needed->node->size < ZC_LEAST_SAVED / needed->item_bytes;
    return !is_small && needed->result < 0 && needed->bought < 0 &&
           (needed->step_count > 1 || needed->kind == ZC_NODE_CONCAT);
}

/* Finds a part for each of the views that steps have of such a node. Returns their number; 0 where they are too many,
 * or one is no part. */
static int find_parts(const zc_needed *needed, zc_region *regions)
{
    int count = 0;
    for (const zc_step *step = needed->steps; step != NULL; step = step->next) {
        zc_view view, part, through;
        zc_step_view(step, &view);
        if (zc_draft_count_gathered(step->draft, &view) > 0)
            return 0;
        zc_view_part(&view, &part, &through);
        int at = 0;
        while (at < count && !zc_view_equal(&regions[at].view, &part))
            at++;
        if (at < count)
            continue;
        if (count == ZC_MOST_REGIONS || !zc_view_is_injective(&part))
            return 0;
        regions[count].is_part = true;
        regions[count].is_framed = false;
        zc_view_copy(&part, &regions[count++].view);
    }
    return count > 1 || needed->kind == ZC_NODE_CONCAT ? count : 0;
}

bool zc_see_parts(zc_lowering *l, const zc_node *node, int count, zc_sees *sees)
{
    for (int i = 0; i < count && l->regions[i].is_part; i++) {
        if (!sees(node, &l->regions[i].view))
            return false;
    }
    return true;
}

int64_t zc_find_shown(const zc_needed *needed)
{
    int64_t most = 0, by_sections = 0;
    zc_view view;
    const zc_step *step = needed->steps;
    for (int i = 0; step != NULL; step = step->next, i++) {
        if (i >= ZC_MOST_STEPS && step->draft->sections == NULL)
            continue;
        zc_step_view(step, &view);
        bool is_gathered = zc_draft_count_gathered(step->draft, &view) > 0; /* positions may be equal */
        zc_view_drop_axes(&view, zc_view_broadcast_axes(&view), &view);
        const int64_t size = is_gathered || !zc_view_is_injective(&view) ? 0 : zc_view_size(&view);
        most = zc_larger(most, size);
        by_sections = zc_saturating_add(by_sections, step->draft->sections != NULL ? size : 0);
    }
    return zc_larger(most, zc_smaller(by_sections / zc_count_views(needed), needed->node->size));
}

/* ---- The whole ---- */

/* Tells whether the first region is all of the node, so that nothing is outside. */
static bool is_all(const zc_region *regions, const zc_node *node)
{
    return !regions[0].is_part && zc_box_size(&regions[0].box) == node->size;
}

int zc_add_region(zc_region *regions, int count, const int64_t *shape)
{
    count = join_others(regions, count + 1, count, shape);
    return count > ZC_MOST_REGIONS ? join_closest(regions, count, shape) : count;
}

int zc_find_regions(zc_lowering *l, zc_needed *needed, bool takes_parts, int from_start)
{
    zc_region *regions = l->regions;
    const int64_t *shape = needed->node->shape;
    int count = 0;
    const bool asks_parts = l->is_apart ? takes_parts : l->policy == ZC_POLICY_FAST;
    l->part_count = asks_parts && may_have_parts(needed) ? find_parts(needed, regions) : 0;
    l->plan->may_be_apart |= l->part_count > 0;
    l->in_parts = 0;
    for (int i = 0; i < l->part_count; i++)
        l->in_parts = zc_saturating_add(l->in_parts, zc_view_size(&regions[i].view));
    if (l->is_apart && l->part_count > 0) {
        needed->demanded = l->in_parts;
        return l->part_count;
    }
    regions[0].is_part = false;
    for (const zc_step *step = needed->steps; step != NULL; step = step->next) {
        if (count == 1 && is_all(regions, needed->node))
            break;
        box_of(step, from_start, &regions[count].box);
        count = zc_add_region(regions, count, shape);
    }
    count = join_all(regions, count, shape);
    int64_t boxes = 0;
    zc_view part;
    for (int i = 0; i < count; i++) {
        regions[i].is_part = regions[i].is_framed = false;
        zc_box_view(&regions[i].box, shape, 0, &regions[i].view);
        boxes += zc_box_size(&regions[i].box);
    }
    needed->demanded = boxes;
    if (!takes_parts || !find_part(needed, boxes, &part))
        return count;
    needed->demanded = zc_view_size(&part);
    regions[0].is_part = true;
    zc_view_copy(&part, &regions[0].view);
    return 1;
}

/* The region in which a step's elements lie. */
static const zc_region *find_region(const zc_lowering *l, const zc_step *step, int from_start, bool is_whole)
{
    const zc_region *region = &l->regions[0];
    zc_box box;
    if (is_whole)
        return region;
    box_of(step, from_start, &box);
    while (!zc_box_contains(&region->box, &box))
        region++;
    return region;
}

/* Tells whether the step is the result that is all of the node, and the region, too: then the result itself is made,
 * although its elements may repeat. */
static bool is_the_result(const zc_lowering *l, const zc_needed *needed, const zc_region *region, zc_step *step)
{
    const zc_draft *draft = step->draft;
    const int32_t slot = needed->result >= 0 ? l->plan->results[needed->result].slot : needed->bought;
    return slot >= 0 && zc_box_size(&region->box) == needed->node->size && draft->stage->store.slot == slot &&
           (draft->stage->reason == ZC_STAGE_RESULT || draft->stage->reason == ZC_STAGE_KEPT) &&
           zc_step_resolve(draft->result) == step;
}

bool zc_load_regions(zc_lowering *l, zc_needed *needed, int from_start)
{
    const zc_node *node = needed->node;
    const bool is_whole = is_all(l->regions, node);
    for (zc_step *step = needed->steps; step != NULL; step = step->next) {
        const zc_region *region = &l->regions[0];
        zc_view view, part, through;
        zc_step_view(step, &view);
        if (region->is_part) {
            zc_view_part(&view, &part, &through);
            while (!zc_view_equal(&region->view, &part))
                region++;
        } else {
            region = find_region(l, step, from_start, is_whole);
            if (is_the_result(l, needed, region, step))
                zc_view_row_major(step->draft->stage->rank, step->draft->stage->shape, &through);
            else
                zc_box_locate(zc_region_frame(region), &view, node->shape, &through);
        }
        if (!zc_step_load(l->plan, step, region->slot, (zc_dtype)node->dtype, &through))
            return false;
    }
    needed->steps = NULL;
    needed->step_count = 0;
    return true;
}
