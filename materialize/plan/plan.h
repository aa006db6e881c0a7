/*
 * A plan: what will run, complete before anything runs.
 *
 * A plan is a list of stages in the order they run. A stage is a fused loop over a domain: for every index of the
 * domain it computes the values, a list in which operands stand before their users, and stores the last of them; a
 * reducing stage first joins them over the reduced axes, which are the domain's last. What a stage reads and
 * writes are slots: buffers that exist (inputs), intermediate results (temporaries), and the outputs, which are what
 * was asked for and which stages may read like temporaries.
 *
 *     slot 0: output, slot 1: x.data, slot 2: temporary ...
 *     stage 1: domain (1797, 64)          v0 = load slot 1; v1 = astype v0                      -> store slot 2
 *     stage 2: domain (1797, 1797 | 64)   v0 = load slot 2; v1 = load slot 2; v2 = subtract ... -> sum -> store slot 0
 *
 * Invariants, checked by verify.c: every access stays inside its slot, wherever checks move it; a value's `axes` are
 * those along which one of the loads under it moves; what is read has been written before, by one stage or by stages
 * that make one slab of it each, and perhaps by stages that update it; what an update goes on from in place is read by
 * no stage behind it; a store reaches no element twice unless it scatters; every output is written.
 *
 * Everything in a plan lives in its arena.
 */
#ifndef ZC_MATERIALIZE_PLAN_PLAN_H
#define ZC_MATERIALIZE_PLAN_PLAN_H

#include "materialize/plan/stage.h"

typedef enum zc_slot_kind { ZC_SLOT_OUTPUT, ZC_SLOT_INPUT, ZC_SLOT_TEMPORARY } zc_slot_kind;

typedef struct zc_slot {
    zc_slot_kind kind;
    zc_dtype dtype;
    int64_t elements;
    union {
        const zc_buffer *buffer; /* of an input; the planned tensors keep it alive */
        const zc_node *node;     /* of the others: whose elements these are, all of them, row-major, where the slot is
                                    kept for it or may be (run/run.h); or NULL */
    };
    int64_t origin;  /* of an input that is read apart: where the edges begin that lead to what is read of it; else 0 */
    int first_stage; /* the stage that first writes it and the last one that writes or reads it, or -1 */
    int last_stage;
    int32_t memory; /* the slot whose memory it shares, or itself (zc_slot_memory) */
    int32_t holder; /* of a memory: the slot whose elements are in it at last */
    bool is_read;   /* by a stage */
    bool is_taken; /* its node ends with the run and is the base of an update that may have its memory (lower/buy.h); */
    bool takes_over; /* its node is such an update */
    bool is_left;    /* a temporary that is worth to stay without a handle (lower/buy.h) */
    bool is_block;   /* a temporary of which a group has one block at a time in memory (plan/group.h) */
} zc_slot;

static inline bool zc_slot_is_bought(const zc_slot *slot)
{
    return slot->kind == ZC_SLOT_OUTPUT && slot->node != NULL;
}

typedef enum zc_layout {
    ZC_LAYOUT_DENSE,  /* every element of a result, row-major */
    ZC_LAYOUT_COMPACT /* elements that only broadcast axes tell apart are stored once */
} zc_layout;

/* Request that plans are made from. */
typedef struct zc_plan_request {
    int count;
    const zc_tensor *const *tensors; /* [count], of one context; there is one at least */
    zc_layout layout;
    const zc_view *target; /* of one tensor: view of the caller's memory that its elements go to, of the tensor's shape
                              and dense; or NULL: memory of its own */
    int64_t target_elements; /* elements of the caller's memory */
    const char *function;    /* name in error sentences */
    bool buys;               /* also stores nodes that runs would compute again (lower/buy.h) */
    int due_count;           /* pending nodes to store as well */
    zc_node *const *due;     /* [due_count] */
    int apart_count; /* nodes with data that are read apart: edges to them that begin at one offset have an input of
                        their own (planner/plan_key.h) */
    const zc_node *const *apart; /* [apart_count] */
} zc_plan_request;

/* A share of the work of storing all of a node that the run spends on it without storing it (lower/buy.h). */
typedef struct zc_rent {
    zc_node *node;
    int32_t parts;  /* of ZC_RENT_PARTS */
    int32_t number; /* in a plan that is kept: of the node in its key */
} zc_rent;

/* A result: a slot, and how its elements stand there. The slot is an output, row-major or with stride 0 when compact;
 * or an input: of what exists densely there is nothing to compute. What is asked for twice has one slot. */
typedef struct zc_plan_result {
    const zc_tensor *asked; /* NULL in a plan that is kept */
    int32_t slot;
    int64_t offset;
    const int64_t *stride; /* [its rank] */
} zc_plan_result;

/* A node that has taken over its base's memory in the run at hand, and the first of the operands that it gave up. */
typedef struct zc_takeover {
    zc_node *node, *first;
} zc_takeover;

typedef struct zc_plan {
    zc_arena arena;
    zc_arena *scratch;           /* while the graph is lowered: what nobody needs any more when that is done; */
    struct zc_step *spare_steps; /* likewise, to be used again (lower/draft.h) */
    zc_context *ctx;
    zc_plan_result *results; /* [result_count] */
    int32_t result_count;
    const zc_view *target;   /* where the only result goes in the caller's memory, or NULL: memory of its own */
    int64_t target_elements; /* of the caller's memory */
    zc_stage **stages;       /* [stage_count] */
    int32_t stage_count, stage_room;
    zc_slot *slots;
    int32_t slot_count, slot_room;
    zc_table inputs;       /* slots of inputs, by buffer and dtype */
    int64_t held_bytes;    /* memory.c: of the distinct buffers it reads */
    int64_t logical_bytes; /* of all results, written out; saturates */
    int64_t output_bytes;  /* of the outputs */
    int64_t bought_bytes;  /* of those that are no results */
    int64_t written_bytes; /* of the outputs and every temporary */
    int64_t alive_bytes;   /* of the outputs and the temporaries alive at once; an output is from its first stage on */
    int64_t needed_bytes;  /* alive bytes with what states of groups take at most (plan/group.h) */
    int64_t peak_bytes;    /* alive bytes with the scratch memory of the stage that runs then, and its group's states */
    uint64_t made_of;      /* nodes with gradients that the results are made of, as bits (zc_source_bit) */
    int64_t eager_bytes;   /* lower.c: what is alive in an eager runtime is this much at least */
    int64_t certain_bytes; /* of a fast plan: what that is at least where the next policy lowers the graph; or 0 */
    int64_t enough_bytes;  /* as asked for: where that is so much, no more is made of the plan; 0: all is made */
    int64_t plan_bytes;    /* planner.c: of header memory, the most that it was made in at once */
    int64_t *bytes;        /* [slot_count] */
    int64_t *stored;       /* [slot_count]: elements that stages store into each, at most all; NULL: all of each */
    int32_t *ends_first;   /* [stage_count]: the first memory that no later stage uses, or -1; the others follow */
    int32_t *ends_next;    /* [slot_count]: in this chain */
    int64_t *shift;        /* [slot_count], of a kept plan: how far inputs stand behind where they stood; or NULL */
    char **at;             /* [slot_count], while it runs: where each slot's elements are */
    zc_buffer **buffers;   /* [slot_count], likewise: of the outputs and the temporaries while they are alive */
    zc_takeover *takeovers; /* [takeover_count], likewise; with room for all of them */
    int32_t takeover_count, takeover_room;
    zc_rent *rents; /* [rent_count] */
    int32_t rent_count, rent_room;
    int due_count, apart_count; /* as requested, until the graph is lowered */
    zc_node *const *due;
    const zc_node *const *apart;
    bool buys;               /* as requested */
    bool is_short_of_memory; /* it would buy more if it could */
    bool is_lean;            /* its policy is to compute again rather than to store */
    bool keeps_slabs;        /* as asked for: no temporary is split into slabs */
    bool is_split;           /* one temporary at least was split into slabs */
    bool may_be_apart;       /* views apart may make another plan (policy.h) */
    bool is_bound;           /* there are no stages, since eager bytes are enough */
    bool is_first_choice;    /* planner.c: without a memory limit it would have been taken, too */
    bool is_kept;            /* it will run again, with other inputs (plan_cache.h) */
} zc_plan;

void zc_plan_free(zc_plan *plan);

/* Stage s, on a walk through all of them: asks for those that come next, which large plans have in memory alone. */
static inline zc_stage *zc_plan_walk(const zc_plan *plan, int32_t s)
{
    enum { STAGES_AHEAD = 8, VALUES_AHEAD = 4, LINE = 64 };
    if (s + STAGES_AHEAD < plan->stage_count) {
        const uintptr_t stage = (uintptr_t)plan->stages[s + STAGES_AHEAD];
        const uintptr_t values = (uintptr_t)plan->stages[s + VALUES_AHEAD]->values;
        for (uintptr_t at = 0; at < 4 * LINE; at += LINE) { /* numbers, since the lines may lie past both */
            __builtin_prefetch((const void *)(stage + at));
            __builtin_prefetch((const void *)(values + at));
        }
    }
    return plan->stages[s];
}

static inline int64_t zc_slot_shift(const zc_plan *plan, int32_t slot)
{
    return plan->shift != NULL ? plan->shift[slot] : 0;
}

/* A new slot of an output or a temporary; -1 when memory is out. */
int32_t zc_plan_add_slot(zc_plan *plan, zc_slot_kind kind, zc_dtype dtype, int64_t elements);

/* The slot of an input, which is found again by its buffer, dtype and origin; -1 when memory is out. */
int32_t zc_plan_add_input(zc_plan *plan, zc_dtype dtype, int64_t elements, const zc_buffer *buffer, int64_t origin);

/* View of its node that a result was asked for as. */
static inline void zc_result_asked(const zc_plan *plan, int32_t result, zc_view *view)
{
    zc_tensor_view(plan->results[result].asked, view);
}

/* Tells whether a result is in memory already, densely. */
static inline bool zc_result_exists(const zc_plan *plan, int32_t result)
{
    return plan->slots[plan->results[result].slot].kind == ZC_SLOT_INPUT;
}

/* The first of the inputs that read a buffer: there is one. */
int32_t zc_plan_first_input(const zc_plan *plan, const zc_buffer *buffer);

/* Lists the inputs that elements with gradients are computed from. */
void zc_plan_list_sources(const zc_plan *plan, zc_sources *sources);

/* Makes the table of inputs anew, for slots that got other numbers. False when memory is out. */
bool zc_plan_list_inputs(zc_plan *plan);

/* Adds a finished stage, which lies in the plan's arena. */
zc_status zc_plan_add_stage(zc_plan *plan, zc_stage *stage);

/* Ends what an executor prepared for the stage. */
void zc_stage_release(zc_stage *stage);

/* Refuses a plan for which the header limit leaves too little. */
zc_status zc_plan_refuse_size(const zc_plan *plan, const char *function);

/* Work of all stages: elements times the costs of operations and the loads, and the elements that are stored.
 * Saturates. */
int64_t zc_plan_work(const zc_plan *plan);

#endif
