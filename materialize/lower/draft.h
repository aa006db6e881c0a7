/*
 * A draft: a stage in the making.
 *
 * A stage is built from its result backwards, from consumers to producers. A step of a draft begins as a node that the
 * draft's domain sees through a view. When the node is decided on, the step becomes a value: a load where the node has
 * its elements in memory, an operation on further steps where it is computed in this stage. When all nodes are decided
 * on, the draft is finished: its steps are put in an order in which operands stand before their users.
 *
 * An axis of the domain may be split on the way (split.c). Steps that were made before then keep the strides that they
 * have, with the number of splits that these know of, and catch up when they are looked at again.
 *
 * A gathered axis stands behind the domain's axes: the position along it is not a loop's, but an index of the stage.
 *
 * Drafts and steps live in the scratch arena of lowering, their stages in the plan's. A draft is finished as soon as
 * all nodes that it sees are decided on, and its steps are used again: few are in use at once, however large the graph.
 */
#ifndef ZC_MATERIALIZE_LOWER_DRAFT_H
#define ZC_MATERIALIZE_LOWER_DRAFT_H

#include "materialize/plan/plan.h"
#include "views/split.h"

typedef struct zc_draft zc_draft;

typedef struct zc_step {
    struct zc_step *next;  /* next step of the same node */
    zc_draft *draft;       /* NULL where the step is spare */
    struct zc_step *other; /* next step of the same draft, or the next spare one */
    struct zc_step *same;  /* the step that stands for this one, or NULL */
    struct zc_step *arg[ZC_MAX_ARITY];
    struct zc_step **checks;    /* [check_count], for a gather, which has `same`: checks of its positions */
    zc_value value;             /* complete but for args, axes and access, which finishing sets */
    int64_t origin;             /* origin of the slot that its node is read from, where that has data */
    int64_t load_offset;        /* first element in the slot of a load */
    const int64_t *load_stride; /* [load_rank]: strides over the slot */
    int32_t at;                 /* place in the finished stage, or -1 */
    uint8_t load_rank, rank;    /* rank of the domain that the strides belong to */
    uint8_t splits;             /* splits of that domain so far */
    uint8_t check_count;
    bool is_visited;
    bool is_open;      /* its node is not decided on */
    bool is_listed;    /* it is listed by what it sees */
    uint32_t seen;     /* hash of what it sees */
    uint16_t depth;    /* depth of the node that it sees (lower.h) */
    int32_t listed_at; /* place of this memory in the list of such steps, or -1 */
} zc_step;

/* An axis whose positions are the elements of an index check, which has its extent. */
typedef struct zc_gathered_axis {
    zc_step *check;
    bool is_read;    /* a load moves along it */
    bool is_checked; /* an earlier stage checks its positions */
} zc_gathered_axis;

enum { ZC_MOST_SPLITS = 8 };

struct zc_draft {
    zc_draft *next;  /* the one begun before */
    zc_stage *stage; /* its domain, reduction and store; the store's strides belong to the domain as it began */
    int first_rank, first_kept; /* the domain's when the draft began */
    int64_t size;               /* elements of the domain */
    int32_t step_count;
    int32_t open_count; /* steps whose nodes are not decided on */
    zc_step *steps;     /* the step made last */
    bool may_split;     /* axes of its domain may be split */
    bool is_replaced;   /* pieces of its own replace it */
    bool is_late;       /* it makes a result, and is not placed among the others yet; its pieces follow it (result.h) */
    bool is_finished;   /* its stage is complete, without steps */
    int split_count;
    const zc_axis_split **split; /* [ZC_MOST_SPLITS]; NULL before the first */
    zc_gathered_axis *gathered;  /* [gathered_count] */
    int gathered_count, gathered_room;
    int32_t guard_count; /* index checks of gathers, which may have to be guarded */
    int32_t *sections;   /* number of drafts that took the place of one, which was cut, with this one; or NULL */
    zc_step *result;
    union {
        zc_step **besides;    /* [zc_stage_besides()]: steps that the end of the stage reads besides its result */
        const int64_t *frame; /* for the base of an update: the rank, first coordinates and counts of the box of its
                                 node whose elements its slot has; NULL: it is not seen so */
    };
};

/* Begins a draft, which has memory for its stage, over that domain, of which the axes from `kept` on are reduced. False
 * when memory is out. */
bool zc_draft_begin(zc_plan *plan, const zc_view *domain, int kept, zc_stage_reason reason, zc_draft *draft);

/* Takes back the steps of a draft that is finished. */
void zc_draft_end_steps(zc_plan *plan, zc_draft *draft);

/* A new step that sees a node through *view, whose axes are the domain's and those gathered so far. NULL when memory is
 * out. */
zc_step *zc_draft_see(zc_plan *plan, zc_draft *draft, const zc_node *node, const zc_view *view);

/* The step as it is seen from a draft whose domain begins at `first` along an axis of the step's, and is no larger
 * elsewhere: its operands are still those of the step. NULL when memory is out. */
zc_step *zc_draft_move_step(zc_plan *plan, zc_draft *draft, const zc_step *step, int axis, int64_t first);

/* Brings a step's strides up to the domain as it is now. False when memory is out. */
bool zc_step_catch_up(zc_plan *plan, zc_step *step);

/* Finds the view of its node and the shape that the step sees; the step has caught up. */
void zc_step_view(const zc_step *step, zc_view *out);

/* Returns the step itself, or the one that stands for it. */
zc_step *zc_step_resolve(zc_step *step);

/* Splits axes of the domain. False when memory is out. */
bool zc_draft_split(zc_plan *plan, zc_draft *draft, const zc_axis_split *split);

/* Makes the step a load through *view, over the elements of a slot. False when memory is out. */
bool zc_step_load(zc_plan *plan, zc_step *step, int32_t slot, zc_dtype dtype, const zc_view *view);

/* Makes steps that no node stands for: an operation on two operands, an int64 constant, the position of `step` in its
 * node's row-major order, and an index check. NULL when memory is out. `node` is what they serve. */
zc_step *zc_draft_derive(zc_plan *plan, const zc_node *node, zc_op op, zc_step *x, zc_step *y);
zc_step *zc_draft_number(zc_plan *plan, zc_draft *draft, const zc_node *node, int64_t number);
zc_step *zc_draft_position(zc_plan *plan, const zc_step *step);

/* `positions`, an int64 step, as positions in an axis: an index check. NULL when memory is out. `kind` says whose they
 * are. */
zc_step *zc_draft_check_positions(zc_plan *plan, const zc_node *node, zc_take_kind kind, zc_step *positions,
                                  const zc_taken_axis *axis);

/* Gathers an axis of views by `positions`, which are checked. Returns the axis; -1 when memory is out, or there is no
 * room. */
int zc_draft_gather(zc_plan *plan, const zc_node *node, zc_take_kind kind, zc_step *positions,
                    const zc_taken_axis *axis);

/* Returns the index check of a gathered axis of views. */
zc_step *zc_draft_check(const zc_draft *draft, int axis);

/* Gives a view of the draft's the gathered axes up to `last`, along which it does not move. */
void zc_draft_add_axes(const zc_draft *draft, int last, zc_view *view);

/* Counts the gathered axes that move a view of the draft's. A load has room for ZC_MAX_ARITY checks; more axes are
 * joined into one. */
int zc_draft_count_gathered(const zc_draft *draft, const zc_view *view);

/* Tells whether the domain has room for `count` more gathered axes. */
bool zc_draft_has_room(const zc_draft *draft, int count);

/* Brings strides of a domain of `rank` axes, as it was after `splits` of them, up to date. Of `count` strides those
 * behind the domain's stay as they are. NULL when memory is out. */
const int64_t *zc_strides_catch_up(zc_arena *arena, const zc_draft *draft, int splits, int rank, int count,
                                   const int64_t *stride);

#endif
