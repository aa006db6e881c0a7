#include "materialize/stages/source.h"

#include "materialize/plan/stage_words.h"

/* Finds the axis of the source along which a stride walks, and by how many coordinates; -1 where there is none. */
static int find_axis(const zc_node *node, const int64_t *row_major, int64_t stride, int64_t *step)
{
    int a = 0;
    while (a < node->rank && (node->shape[a] == 1 || stride < row_major[a]))
        a++;
    if (a == node->rank || stride % row_major[a] != 0)
        return -1;
    *step = stride / row_major[a];
    return a;
}

/* The index over the source, which every number is made of. */
static const zc_value *find_index(const zc_stage *stage)
{
    const zc_value *value = stage->values;
    while (value->kind != ZC_VALUE_INDEX || value->node != zc_sourced_node(stage))
        value++;
    return value;
}

int zc_source_moved_axes(const zc_stage *stage)
{
    uint64_t moved = 0;
    for (int32_t v = 0; v < stage->value_count; v++)
        moved |= stage->values[v].kind == ZC_VALUE_CHECK ? stage->values[v].axes : 0;
    return moved == 0 ? 0 : ZC_MAX_RANK - __builtin_clzll(moved);
}

int64_t zc_source_first(const zc_stage *stage)
{
    return stage->offset[find_index(stage)->access];
}

/* Lets axis d of a view walk one of the source. False where it walks none, or leaves it. */
static bool walk_axis(const zc_node *node, const int64_t *row_major, int d, int64_t extent, int64_t stride,
                      zc_source_box *out)
{
    const int64_t last = extent - 1;
    int64_t step;
    const int a = find_axis(node, row_major, stride < 0 ? -stride : stride, &step);
    if (a < 0 || out->axis[a] >= 0)
        return false;
    zc_box *box = &out->box;
    out->axis[a] = d;
    out->is_reversed[a] = stride < 0;
    box->count[a] = extent;
    box->step[a] = step;
    if (last > (stride < 0 ? box->first[a] : node->shape[a] - 1 - box->first[a]) / step)
        return false;
    box->first[a] -= stride < 0 ? last * step : 0; /* proven: not below 0 */
    return true;
}

/* Finds the box that axes from `moved` on walk from the element with this number on. False when they walk none. */
static bool find_box(const zc_node *node, int moved, int rank, const int64_t *shape, const int64_t *stride,
                     int64_t number, zc_source_box *out)
{
    int64_t row_major[ZC_MAX_RANK], left = number;
    zc_shape_row_major(node->rank, node->shape, row_major);
    out->box.rank = node->rank;
    out->box.is_rows = false;
    for (int a = 0; a < node->rank; a++) {
        out->axis[a] = -1;
        out->is_reversed[a] = false;
        out->box.count[a] = out->box.step[a] = 1;
        out->box.first[a] = node->shape[a] > 1 ? left / row_major[a] : 0;
        left -= out->box.first[a] * row_major[a]; /* proven: at most what is left */
    }
    for (int d = moved; d < rank; d++) {
        if (shape[d] > 1 && !walk_axis(node, row_major, d, shape[d], stride[d], out))
            return false;
    }
    return true;
}

bool zc_source_find_box(const zc_stage *stage, int64_t number, zc_source_box *out)
{
    const int64_t *stride = stage->stride + (size_t)find_index(stage)->access * (size_t)stage->rank;
    return find_box(zc_sourced_node(stage), zc_source_moved_axes(stage), stage->rank, stage->shape, stride, number,
                    out);
}

/* Tells a view of which no element lies beyond the end of a run of so many elements in which its first one lies, but
 * for steps of whole runs. */
static bool stays_in_run(const zc_view *view, int64_t run)
{
    int64_t low = view->offset % run, high = low;
    for (int d = 0; d < view->rank; d++) {
        const int64_t step = view->stride[d] % run, last = view->shape[d] - 1;
        const int64_t room = step < 0 ? -low : run - 1 - high;
        if (step != 0 && last > room / step)
            return false;
        low += step < 0 ? step * last : 0;  /* proven: not below 0 */
        high += step > 0 ? step * last : 0; /* proven: below `run` */
    }
    return true;
}

bool zc_source_shows_boxes(const zc_node *node, const zc_view *view, int moved, int rank)
{
    zc_source_box box;
    int64_t run = 1;
    if (!find_box(node, moved, rank, view->shape, view->stride, view->offset, &box))
        return false;
    for (int a = node->rank - 1; a >= 0; a--) {
        run *= node->shape[a]; /* proven: at most the source's size */
        if (box.axis[a] >= 0 && !stays_in_run(view, run))
            return false;
    }
    return true;
}

/* Blocks of as many coordinates as the view has in a chunk read each chunk twice at most, wherever they begin. */
static int64_t chunk(const zc_stage *stage, int axis)
{
    zc_source_box what;
    const int64_t *chunks = zc_sourced_node(stage)->sourced->from.chunk;
    if (!zc_source_find_box(stage, zc_source_first(stage), &what)) /* LCOV_EXCL_BR_LINE: the stage is made of one */
        return 1;                                                  /* LCOV_EXCL_LINE: likewise */
    int a = zc_stage_has_no_positions(stage) ? 0 : what.box.rank;
    while (a < what.box.rank && what.axis[a] != axis)
        a++;
    return a < what.box.rank ? zc_larger(chunks[a] / what.box.step[a], 1) : 1;
}

static const char *broken_rule(const zc_stage *stage)
{
    zc_source_box box;
    const zc_value *value = zc_stage_result(stage);
    bool is_numbered = false;
    for (int32_t v = 0; v < stage->value_count; v++)
        is_numbered |= stage->values[v].kind == ZC_VALUE_INDEX && stage->values[v].node == value->node;
    if (!is_numbered || value->dtype != ZC_INT64 || value->node->kind != ZC_NODE_SOURCE)
        return "a source has numbered elements";
    return zc_stage_extent(stage, 0, stage->rank) == 0 || zc_source_find_box(stage, zc_source_first(stage), &box)
               ? NULL
               : "a source is read in boxes";
}

static zc_named result_use(const zc_stage *stage)
{
    (void)stage;
    return (zc_named){"read", "the element of the source with this number"};
}

const zc_stage_kind zc_stage_kind_source = {
    ZC_STAGE_KIND_ROW(source),
    .chunk = chunk,
    .broken_rule = broken_rule,
    .result_use = result_use,
};
