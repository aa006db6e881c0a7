/*
 * Stages that read a source: what a function has instead of memory, window by window.
 *
 * The last value is the number of the element in the source, in row-major order: one that an index walks, an axis of
 * the domain for each axis of the source along which more than one coordinate is read, plus what checks of positions
 * add along the first axes. An executor of its own (run/source.c) reads windows, so that functions are called once for
 * many elements.
 */
#ifndef ZC_MATERIALIZE_STAGES_SOURCE_H
#define ZC_MATERIALIZE_STAGES_SOURCE_H

#include "materialize/plan/stage.h"
#include "views/box.h"

extern const zc_stage_kind zc_stage_kind_source;

/* The coordinates of a source that are read at once, of axes of one coordinate, too. */
typedef struct zc_source_box {
    zc_box box;
    int axis[ZC_MAX_RANK];         /* of the domain, for each axis of the source; -1: a single coordinate */
    bool is_reversed[ZC_MAX_RANK]; /* walked from its last coordinate to its first */
} zc_source_box;

/* The source that a stage reads. */
static inline const zc_node *zc_sourced_node(const zc_stage *stage)
{
    return zc_stage_result(stage)->node;
}

/* Number of leading axes of the domain along which positions may move the number; along the others an index does. */
int zc_source_moved_axes(const zc_stage *stage);

/* Finds the box that the others walk from the element with this number on. False when they walk none. */
bool zc_source_find_box(const zc_stage *stage, int64_t number, zc_source_box *out);

/* Tells a view over a source whose axes from `moved` up to `rank` walk a box from wherever the other axes begin one:
 * those before, and those of positions behind. The source and the view have elements. */
bool zc_source_shows_boxes(const zc_node *node, const zc_view *view, int moved, int rank);

/* Number of the stage's first element, but for positions. */
int64_t zc_source_first(const zc_stage *stage);

#endif
