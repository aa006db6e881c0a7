/*
 * The machine that lowers: a stack of tasks, each a stage in the making with a stack of frames of its own.
 *
 * A frame is a node as the domain of its stage sees it; it ends with the value that stands for it. A frame that needs
 * an intermediate result pushes the task that makes it and is entered anew when that has ended. Both stacks are in the
 * plan's arena: graphs are deeper than the C stack.
 *
 * lower.c runs the machine; the other files say what becomes of a frame: part.c of one that is cut out, concat.c,
 * take.c and ordered.c of one whose node is such.
 */
#ifndef ZC_MATERIALIZE_LOWER_MACHINE_H
#define ZC_MATERIALIZE_LOWER_MACHINE_H

#include "materialize/lower/lower.h"

/* One node on the way down, and its operands' values on the way up. */
typedef struct zc_frame {
    zc_seen seen;
    bool entered;
    bool waits;     /* for the value of operand order[done] */
    bool is_result; /* of its stage: it is computed here, whatever the cut rules say */
    int8_t done;    /* operands whose values are there */
    int8_t order[ZC_MAX_ARITY];
    int32_t args[ZC_MAX_ARITY];
    zc_seen operands[ZC_MAX_ARITY];
    int *picked; /* [edge_count - 1], of a take: the axes that its positions pick, as far as they are there */
} zc_frame;

typedef enum zc_task_kind {
    ZC_TASK_RESULT,   /* the stage that makes what was asked for */
    ZC_TASK_PART,     /* a stage that makes a part of a map or a reduction */
    ZC_TASK_ASSEMBLY, /* no stage: a part of a concat, whose pieces are made one after the other */
    ZC_TASK_PIECE     /* a stage that makes one piece of the assembly below it */
} zc_task_kind;

typedef struct zc_task {
    struct zc_task *below;
    zc_builder builder;
    zc_frame *frames;
    int32_t frame_count, frame_room;
    int32_t value; /* of the frame that was finished last */
    zc_task_kind kind;
    zc_seen start;  /* what the first frame sees */
    bool is_result; /* the first frame's */
    int refinements;
    const zc_node *node; /* what is made: this part of this node */
    zc_stage_reason reason;
    zc_assembly assembly;
    zc_view part;
} zc_task;

typedef struct zc_machine {
    zc_lowering lowering;
    zc_task *top;
    zc_layout layout;
} zc_machine;

typedef enum zc_outcome {
    ZC_LOWER_FAILED, /* memory is out */
    ZC_LOWER_FOUND,  /* the frame ended with a value */
    ZC_LOWER_DESCEND,
    ZC_LOWER_WAIT /* for the task on top */
} zc_outcome;

/* ---- lower.c ---- */

/* A new task on top, which waits for nothing yet. NULL when memory is out. */
zc_task *zc_task_push(zc_machine *m, zc_task_kind kind, const zc_node *node, const zc_view *part,
                      zc_stage_reason reason);

/* Begins the task's stage over *view's shape, with a frame that sees the node through *view; is_result as in zc_frame.
 * False when memory is out. */
bool zc_task_begin(zc_machine *m, zc_task *t, const zc_node *node, const zc_view *view, bool is_result);

zc_frame *zc_frame_push(zc_machine *m, zc_task *t, const zc_seen *seen);

/* Ends the topmost frame; value -1 is a failure. */
zc_outcome zc_frame_end(zc_task *t, int32_t value);

/* A node seen as the view is, without its shape. False when memory is out. */
bool zc_see(zc_machine *m, const zc_node *node, const zc_view *view, zc_seen *out);

/* ---- part.c: what the domain sees of a node, cut out of the stage ---- */

/* Through *part, a view over the node, which *through shows to the domain. */
zc_outcome zc_use_part(zc_machine *m, zc_task *t, const zc_seen *seen, const zc_view *part, const zc_view *through,
                       zc_stage_reason reason);

/* The rows of the node's leading axis that the domain reaches. */
zc_outcome zc_use_rows(zc_machine *m, zc_task *t, const zc_seen *seen, zc_stage_reason reason);

/* The rows that a view reaches, as a part; and the view over that part. */
void zc_rows_reached(const zc_node *node, const zc_view *view, zc_view *part, zc_view *through);

/* A view without its broadcast axes, as a part, and the view over that part. */
void zc_part_of_view(const zc_view *view, zc_view *part, zc_view *through);

/* Whether a part on its own is less than half of the node, and the whole is not there already. */
bool zc_part_is_small(const zc_machine *m, const zc_node *node, const zc_view *part);

/* A reduction: all of it, or the part that is seen. */
zc_outcome zc_use_reduction(zc_machine *m, zc_task *t, const zc_seen *seen);

/* Begins the stage that reduces a part. False when memory is out. */
bool zc_begin_reduction(zc_machine *m, zc_task *t);

/* ---- concat.c ---- */

/* A concat: the operand, where the domain sees only one; else the part that is seen, assembled. */
zc_outcome zc_enter_concat(zc_machine *m, zc_task *t, zc_frame *f);

/* One step of the assembly on top: the next piece's task, or its end. False when memory is out. */
bool zc_assembly_step(zc_machine *m, zc_task *t);

/* Keeps the finished stage of a piece for the assembly below. False when memory is out. */
bool zc_assembly_keep(zc_machine *m, zc_task *piece);

/* ---- refine.c ---- */

/* For a map whose operands no strides can show the domain: whether splitting axes of the domain helps; *outcome is what
 * became of the frame, whose stage begins anew then. */
bool zc_refine(zc_machine *m, zc_task *t, const zc_seen *seen, zc_outcome *outcome);

/* ---- take.c ---- */

zc_outcome zc_enter_take(zc_machine *m, zc_task *t, zc_frame *f);

/* For a copy that repeats its operand and is seen so that no strides express it: the operand seen through computed
 * positions, which takes no memory. *outcome says whether memory is out; false when that is no way to go. */
bool zc_map_copy(zc_machine *m, zc_task *t, zc_frame *f, zc_outcome *outcome);

/* ---- ordered.c: what is made in a fixed order ---- */

/* All of a scatter; all lines of a scan that the domain reaches, from their beginning. */
zc_outcome zc_use_scatter(zc_machine *m, zc_task *t, const zc_seen *seen);
zc_outcome zc_use_scan(zc_machine *m, zc_task *t, const zc_seen *seen);

/* Begins the stage that makes a part of either. False when memory is out. */
bool zc_begin_scatter(zc_machine *m, zc_task *t);
bool zc_begin_scan(zc_machine *m, zc_task *t);

/* The frame of a scatter: first the positions, then what is added. Of a scan: first the factors. */
zc_outcome zc_enter_scatter(zc_machine *m, zc_task *t, zc_frame *f);
zc_outcome zc_enter_scan(zc_machine *m, zc_task *t, zc_frame *f);

/* Says where the finished stage stores, and adds it to the plan. False when memory is out. */
bool zc_finish_scatter(zc_machine *m, zc_task *t);
bool zc_finish_scan(zc_machine *m, zc_task *t);

#endif
