/*
 * Regions: the parts of a stored node that are made.
 *
 * Every step that sees the node demands a box of it. Boxes are joined where that computes at most a quarter more than
 * is demanded; so two ends of a long axis stay two regions, and overlapping windows become one. Past ZC_MOST_REGIONS
 * the two are joined that lie closest. A part is a region that has what a view shows, in the view's order: of the only
 * view, or, where a plan makes them apart, of each.
 */
#ifndef ZC_MATERIALIZE_LOWER_REGION_H
#define ZC_MATERIALIZE_LOWER_REGION_H

#include "materialize/lower/lower.h"

/* Joins the box of regions[count] with those before it, where that pays, or with another where they are too many.
 * Returns their number. There is room for one more than ZC_MOST_REGIONS. */
int zc_add_region(zc_region *regions, int count, const int64_t *shape);

/* Finds the regions that are demanded of a node, and returns their number. A part is found only where `takes_parts`.
 * Along `from_start` (an axis, or -1) all regions begin at coordinate 0. */
int zc_find_regions(zc_lowering *l, zc_needed *needed, bool takes_parts, int from_start);

/* Tells whether the regions of a node are parts through all of which its operands can be seen. */
typedef bool zc_sees(const zc_node *node, const zc_view *view);
bool zc_see_parts(zc_lowering *l, const zc_node *node, int count, zc_sees *sees);

/* Finds the number of elements that one of the node's first few steps shows, at least: the demand when no regions are
 * made. */
int64_t zc_find_shown(const zc_needed *needed);

/* Makes every step of the node a load from its region's slot. False when memory is out. */
bool zc_load_regions(zc_lowering *l, zc_needed *needed, int from_start);

#endif
