/*
 * Lowering: from the graph to stages.
 *
 * A stage is built from its result backwards. What the domain sees of a node is a view of that node; an operand's view
 * is the composition of its edge with it, so views are pushed down to the loads and cost nothing themselves. Where
 * pushing down is impossible or does not pay, the node becomes an intermediate result: a stage of its own, loaded
 * from a temporary. The cut rules, each with the reason explain prints:
 *
 *   reduction   a reduction's elements must be there before they are used; only the part that is seen is computed
 *   piece       a concat is seen across the border of two operands; only the part that is seen is assembled
 *   scan        an element needs those before it
 *   scatter     elements come together from anywhere
 *   not affine  no strides express the operand's view (a reshape over a broadcast or permuted operand)
 *   shared      a costly node is seen under a second view, and its elements are no more than the domain's
 *   copy        a copy that was asked for by name
 *   hoisted     a costly value varies along few of the domain's axes (hoist.c)
 *   expanded    an intermediate result that was stored compactly is seen in a way its stride-0 axes cannot show
 *
 * An intermediate result is always stored compactly: along axes on which nothing under it moves, it has stride 0.
 */
#ifndef ZC_MATERIALIZE_LOWER_LOWER_H
#define ZC_MATERIALIZE_LOWER_LOWER_H

#include "materialize/lower/builder.h"

/* `part` of a node (a view over its storage without broadcast axes), stored in a slot and seen there as `place`: a view
 * of the same shape over the slot. */
typedef struct zc_intermediate {
    zc_seen part;
    int rank;
    const int64_t *shape; /* [rank], of the part */
    int32_t slot;
    int64_t offset;
    const int64_t *stride; /* [rank], over the slot */
    int32_t expanded;      /* the same written out in full, or -1 */
} zc_intermediate;

typedef struct zc_lowering {
    zc_plan *plan;
    zc_table table; /* of the intermediates, by node and part */
    zc_intermediate *intermediates;
    int32_t count, room;
} zc_lowering;

/* A stage of an assembly, until all are there. */
typedef struct zc_piece {
    struct zc_piece *next;
    zc_stage stage;
    zc_slab *slabs; /* that it makes, as a stage's */
    int slab_count;
} zc_piece;

/* What an assembly knows: the slab of another assembly that it makes, with the slabs around it, outermost first (none
 * of the outermost assembly), and how far along an axis of its part it is. */
typedef struct zc_assembly {
    zc_slab *slabs;
    int slab_count;
    struct zc_assembly *outermost;
    int64_t nested; /* of the outermost one: operands of concats that are assembled in place */
    int axis;
    int64_t next; /* the next piece begins here */
    zc_piece *pieces, **last;
} zc_assembly;

/* The intermediate of that part of a node, or -1. */
int32_t zc_lowering_find(const zc_lowering *lowering, const zc_node *node, const zc_view *part);

/* Adds one whose elements stand in `slot` as *place shows them; -1 when memory is out. */
int32_t zc_lowering_add(zc_lowering *lowering, const zc_node *node, const zc_view *part, int32_t slot,
                        const zc_view *place);

/* The same written out in full, without stride-0 axes; made when first asked for. -1 when memory is out. */
int32_t zc_lowering_expand(zc_lowering *lowering, int32_t at);

/* The same of one that is not found by its part. */
int32_t zc_lowering_add_unlisted(zc_lowering *lowering, const zc_node *node, const zc_view *part, int32_t slot,
                                 const zc_view *place);

/* Where an intermediate stands, as a view over its slot. */
void zc_intermediate_place(const zc_intermediate *intermediate, zc_view *out);

/* Takes costly values that vary along few axes out of the stage, into stages of their own, which are added to the plan.
 * `wanted` is along how many elements the stage's result is used. *changed says whether any were. False when memory
 * is out. */
bool zc_hoist(zc_lowering *lowering, zc_stage *stage, int64_t wanted, bool *changed);

/* The first `rank` axes. */
uint64_t zc_all_axes(int rank);

/* The axes a stage must walk: those its result varies along, and empty ones. */
uint64_t zc_axes_to_walk(const zc_stage *stage);

/* Where a part's elements stand when only the axes in `walked` are stored. */
void zc_compact_place(const zc_view *part, uint64_t walked, zc_view *place);

/* Hoists what pays, and keeps of the stage just the axes in `walked` and the values it needs. False when memory is out.
 */
bool zc_close_stage(zc_lowering *lowering, zc_stage *stage, uint64_t walked);

/* Gives a finished storing stage a temporary of its own and adds it to the plan: the slot, or -1 when memory is out.
 * The stage's kept axes are stored row-major. */
int32_t zc_store_in_temporary(zc_plan *plan, zc_stage *stage);

/* Finishes the stage that makes what was asked for, and one that makes a part of a node: adds it to the plan. False
 * when memory is out. */
bool zc_finish_result(zc_lowering *lowering, zc_layout layout, zc_stage *stage);
bool zc_finish_part(zc_lowering *lowering, const zc_node *node, const zc_view *part, zc_stage *stage);

/* The same of an assembly whose pieces are all there. */
bool zc_finish_assembly(zc_lowering *lowering, const zc_node *node, const zc_view *part, zc_piece *pieces);

/* When the last stage only copies a temporary as it stands, the temporary becomes the output. */
void zc_drop_last_copy(zc_plan *plan);

/* Whether an intermediate result that could be done without may take so much memory. */
bool zc_may_spend(const zc_plan *plan, int64_t elements, zc_dtype dtype);

#endif
