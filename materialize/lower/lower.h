/*
 * Lowering: from the graph to stages, every node decided once.
 *
 * The nodes that the results need are looked at from consumers to producers, so that all of what consumers see of a
 * node is known when its turn comes. It is then decided once:
 *
 *   read       it has data, or is a constant or an index range: every step that sees it is a load or a number
 *   inlined    it is computed in the stages that see it, each step a value there; its operands are seen through the
 *              composition of its edges with the step's view
 *   stored     what is demanded of it is computed once, by stages of its own, and loaded from a temporary
 *   passed on  a view of a concat that stays inside one operand is a view of that operand
 *
 * What is demanded of a stored node is at most four regions (region.c): boxes, or what each of its views shows, so that
 * what is read by rows and by columns is made by rows for both.
 *
 * Which of the last three, the rules of plan/rules.def decide in their order; what they ask is in rules.c.
 *
 * A stage that sees several tensors of a concat may be cut into sections (concat.h), which together see a node under
 * one view.
 *
 * Everything takes time and memory in proportion to nodes and edges: a node is inlined under at most ZC_MOST_STEPS
 * views, or ZC_MOST_LEAN_STEPS where memory is short, so no edge is looked at more often for each section; under any
 * number when all its operands are numbers and positions, where nothing is left to be decided.
 */
#ifndef ZC_MATERIALIZE_LOWER_LOWER_H
#define ZC_MATERIALIZE_LOWER_LOWER_H

#include "materialize/lower/emit.h"
#include "materialize/plan/plan.h"
#include "materialize/plan/policy.h"
#include "views/box.h"

enum { ZC_MOST_STEPS = 4, ZC_MOST_LEAN_STEPS = 16, ZC_MOST_REGIONS = 4 };

/* A node that the results need. */
typedef struct zc_needed {
    const zc_node *node;
    const zc_buffer *data; /* data when the planning began; NULL: the node is computed */
    zc_step *steps;        /* undecided steps that see it */
    int32_t step_count;
    int32_t consumers;        /* edges to it, and results that show it */
    int32_t result;           /* the result that is all of it, or -1 */
    int32_t bought;           /* slot that keeps all of it after the run, or -1 (buy.h) */
    int32_t ending;           /* edges to it that are given up when the run ends */
    int32_t covered;          /* consumers that are bought in this run, or serve such ones alone */
    float base;               /* elements in memory that it is made of, if it is inlined */
    uint32_t cost;            /* estimated work of an element, if the node is inlined: operations and loads */
    int32_t same;             /* the equal node that stands for it, or -1 */
    int32_t operands;         /* place of its operands in l->operands */
    int32_t last_use;         /* place of its last consumer in l->order */
    int32_t operand_count;    /* 0 where it has data */
    uint64_t serial;          /* serial of the first of equal nodes: no consumer of any of them was recorded before */
    int64_t demanded;         /* demanded elements; 0: so few, or so seldom more than nothing, that nobody asked */
    uint16_t depth;           /* work of an element of a map that is made, from what is in memory on; saturates */
    uint8_t behind;           /* consumers that are left in memory, if they fit, or serve such ones alone; saturates */
    uint8_t kind, item_bytes; /* the node's: nodes are looked at as seldom as can be, few are in the caches */
    bool has_equal : 1;       /* it stands for others, or another for it */
    bool is_made : 1;         /* neither has it data, nor is it given */
    bool may_fuse : 1;        /* it is of a kind that is inlined, and no copy that was asked for */
    bool takes_over : 1;      /* it is an update that may write into the memory of its base, and have that (buy.h) */
    bool is_taken : 1;        /* it is the base of such an update */
    bool is_shrunk : 1;       /* a consumer has fewer elements, or takes less memory than stays for it */
    bool may_stay : 1;        /* worth keeping without a handle where the run makes all of it (buy.h) */
    bool is_left : 1;         /* likewise, and the run does */
    bool is_apart : 1;        /* it has data, of which what each edge leads to may stand elsewhere (plan.h) */
    bool is_due : 1;          /* it is pending, and what it holds is to be freed (runtime/graph/pending.h) */
} zc_needed;

/* Part of a node that is stored: a box of it, or, where it is seen in one way only, just that view. */
typedef struct zc_region {
    bool is_part, is_framed;
    zc_box box;
    zc_box frame; /* box around a framed region, which is stored as elements of that box */
    zc_view view; /* view over the node: the domain of the stage that makes it, of which one may have several */
    int32_t slot;
} zc_region;

typedef struct zc_lowering {
    zc_plan *plan;
    zc_policy policy;
    bool is_apart;    /* each view of a large node has a region of its own */
    int part_count;   /* such regions when they were last looked for, whether made or not; 0: as without */
    int64_t in_parts; /* elements of these regions */
    zc_layout layout;
    zc_needed *needed; /* [needed_count], operands before their consumers */
    int32_t needed_count, needed_room;
    bool has_updates;  /* some needed node is one */
    bool has_concats;  /* some needed node that is made is one */
    bool has_cut;      /* some draft was cut (concat.h): steps of it that were not decided on are still listed */
    int32_t *operands; /* [operand_count]: needed nodes that edges lead to */
    int32_t operand_count, operand_room;
    zc_needed *at;   /* node that is decided now */
    int32_t *order;  /* [needed_count]: indices of the needed nodes, as they were recorded */
    zc_table table;  /* needed nodes, by node */
    zc_table equals; /* needed nodes that stand for equal ones, by their properties */
    zc_step **steps; /* [step_count]: steps that see nodes, or did */
    int32_t step_count, step_room;
    zc_table seen;      /* steps, by draft, node and view */
    zc_draft **touched; /* [touched_count]: begun, or with a step decided on, since the last were finished */
    int32_t touched_count, touched_room;
    zc_emission_room room; /* room where a stage takes shape before the part that it keeps is copied */
    zc_table results;      /* results that are not all of a node, by node and view */
    zc_draft **late;       /* [the plan's results]: drafts of these that are begun and not placed, or NULL */
    zc_draft *spare;       /* draft that is not needed any more, to be begun again, or NULL */
    zc_draft *drafts;   /* producers first: the latest draft, but for pieces, which are in the order of their slabs */
    zc_region *regions; /* [ZC_MOST_REGIONS]: regions of the node at hand */
    int region_count;   /* number of regions that a rule has found, or -1 */
    bool is_not_affine; /* some view of the node at hand is not expressed by strides, so it cannot be inlined */
    bool is_contracted; /* a contraction sees the node at hand */
    uint32_t rules_about[ZC_NODE_KINDS]; /* rules by kind of node, as bit sets; 0: not asked for yet (rules.c) */
    zc_view *shown;                      /* [ZC_MAX_ARITY]: views of operands that were looked at last (map.c) */
    const zc_step *shown_to;             /* step that these views belong to, or NULL */
    uint8_t shown_splits;                /* splits of that step then */
    int64_t bought_bytes;                /* bytes bought so far */
} zc_lowering;

/* Begins a draft that stores in a slot, row-major. NULL when memory is out. */
zc_draft *zc_begin_stored(zc_lowering *l, const zc_view *domain, int kept, int32_t slot, zc_stage_reason reason);

/* Ends the first draft of all, of which no step is left. */
void zc_end_first(zc_lowering *l);

/* Moves the draft begun last behind another one. */
void zc_move_behind(zc_lowering *l, zc_draft *other);

/* Returns the box whose elements are all in the region's slot. */
static inline const zc_box *zc_region_frame(const zc_region *region)
{
    return region->is_framed ? &region->frame : &region->box;
}

/* Adds a temporary for a region of the node at hand; sets its slot. False when memory is out. */
bool zc_add_temporary(zc_lowering *l, zc_region *region, const zc_node *node);

/* Makes stages of the graph, in the order of recording. */
zc_status zc_plan_lower(zc_plan *plan, zc_policy policy, zc_layout layout, const char *function);

#endif
