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

#include "runtime/graph/tensor.h"
#include "runtime/memory/table.h"

/* The most values of a stage that contracts: its operands may be computed. Each element is computed once where the
 * other operand has at most so many bytes of rows or columns of its own, which are one block. */
enum { ZC_MOST_CONTRACTED_VALUES = 64, ZC_MOST_CONTRACTED_LINE = 512 };

/* Bytes that become integers of 32 bits are multiplied as they are where there are so many rows and columns, and
 * products of each result: what tiles multiply at once. */
enum { ZC_LEAST_TILE_SIDE = 32, ZC_LEAST_TILE_PRODUCTS = 64 };

typedef enum zc_value_kind {
    ZC_VALUE_LOAD,     /* an element of a slot */
    ZC_VALUE_CONSTANT, /* an element */
    ZC_VALUE_INDEX,    /* the position an access stands at, as int64 */
    ZC_VALUE_OP,       /* an operation on earlier values */
    ZC_VALUE_CHECK,    /* an earlier int64 value as a position in an axis: from the end where it is negative; the stage
                          fails where it lies outside */
    ZC_VALUE_PICK      /* an element of a slot, at an access moved by earlier checks */
} zc_value_kind;

typedef struct zc_value {
    uint8_t kind; /* zc_value_kind */
    uint8_t op;   /* zc_op; of a check the zc_take_kind of its positions */
    uint8_t dtype;
    uint8_t arity;
    int32_t slot;              /* of a load or a pick */
    int32_t access;            /* of a load, an index or a pick */
    int32_t arg[ZC_MAX_ARITY]; /* of an operation, a check or a pick: earlier values */
    uint64_t axes;             /* axes of the domain along which it varies, as a bit set */
    union {
        const zc_scalar *constant; /* of a constant: one for all copies of the value, since a kept plan gets those of
                                      the graph at hand (plan_cache.c) */
        struct {
            int64_t extent; /* of a check: the axis has so many positions; */
            int64_t axis;   /* what the caller knows it by */
        };
        const int64_t *pick_stride; /* [arity], of a pick: elements of the slot per step of each check */
    };
    const zc_node *node; /* where it comes from, and how the domain sees that node: */
    int64_t node_offset;
    int node_rank;
    const int64_t *node_stride; /* [node_rank]: the domain's axes, then picked ones (lower/draft.h) */
} zc_value;

/* Why a stage is one of its own. A byte: plans have many stages. */
typedef enum __attribute__((packed)) zc_stage_reason {
    ZC_STAGE_RESULT,     /* it makes what was asked for */
    ZC_STAGE_KEPT,       /* it stores what was computed before, so that no later run computes it again */
    ZC_STAGE_REDUCTION,  /* a reduction's results are needed before they are used */
    ZC_STAGE_HOISTED,    /* evaluated at its own rank, used along more axes */
    ZC_STAGE_NOT_AFFINE, /* seen through a view that no strides express */
    ZC_STAGE_SHARED,     /* used under several views and costly */
    ZC_STAGE_COPY,       /* a copy that was asked for */
    ZC_STAGE_OPERAND,    /* a contraction reads it, each element many times */
    ZC_STAGE_PIECE,      /* one operand's part of a concat */
    ZC_STAGE_SCAN,       /* needs the elements before to make one */
    ZC_STAGE_SCATTER,    /* puts elements where they belong, in a result of its own */
    ZC_STAGE_BASE,       /* makes what is there before they are put */
    ZC_STAGE_SAVED,      /* elements that an update in place writes over, for what reads them behind it */
    ZC_STAGE_PUT         /* elements that an update writes into memory that it takes over */
} zc_stage_reason;

/* Elements first to first + length - 1 along an axis whose extent is `whole`. */
typedef struct zc_slab {
    int axis;
    int64_t first, length, whole;
} zc_slab;

static inline bool zc_slab_equal(const zc_slab *a, const zc_slab *b)
{
    return a->axis == b->axis && a->first == b->first && a->length == b->length &&
           a->whole == b->whole; /* LCOV_EXCL_BR_LINE: of one axis there is one whole in slabs that are compared */
}

/* A check that moves a place, by so many elements per step. */
typedef struct zc_move {
    int32_t check;
    int64_t stride;
} zc_move;

typedef struct zc_stage {
    int rank;         /* of the domain */
    int kept;         /* axes kept .. rank-1 are reduced; rank when nothing is */
    int64_t *shape;   /* [rank] */
    zc_value *values; /* [value_count]; the last is the result before reducing */
    int32_t value_count;
    int32_t access_count;
    int64_t *offset; /* [access_count] */
    int64_t *stride; /* [access_count][rank] */
    zc_stage_reason reason;
    zc_reduction reduction;
    zc_scan scan;
    bool reduces;            /* joins over the reduced axes, of which none may be left: then the rule for invariant axes
                                did it all */
    bool contracts;          /* by the rule of contractions: the last value is the product of what is contracted, which
                                nobody computes where axes are walked, and the reduction a sum */
    bool feeds;              /* another stage reads what its slot holds (memory.c) */
    bool scans;              /* stores along the last axis what `scan` makes of the result, of elements before, of which
                                there are two or more */
    bool updates;            /* elements are there: those of `base`, or made in the slot by stages before it and read by
                                none */
    bool scatters;           /* `update` makes what it stores of that and its elements, one after the other in row-major
                                order of the domain; without `scatters` no place is met twice and it stores elements */
    zc_dtype result_dtype;   /* of what is stored */
    int64_t invariant_count; /* the product of the lengths of the axes reduced by rule */
    int64_t *index_weight;   /* [rank - kept]: of argmin and argmax, what a step along the axis adds to the index */
    uint64_t invariant_axes; /* axes of the operand that were reduced by rule, for explain */
    int32_t store_slot;
    int32_t overwritten; /* a temporary whose memory the slot takes over while the stage reads it, or -1 (memory.c) */
    int64_t store_offset;
    int64_t *store_stride; /* [kept] */
    int32_t scan_factor;   /* a recurrence's factors: an earlier value, or the result itself; -1 of other scans */
    zc_update_op update;   /* how a stage that scatters takes elements in */
    int64_t clears;        /* so many elements, all that it stores into, are zero before; 0: none are */
    zc_move *store_move;   /* [store_moves], of a stage that scatters: what moves the place besides */
    zc_slab *slabs; /* [slab_count], outermost first: a stage makes what its slot holds (none), a slab of that, */
    int32_t store_moves;
    int32_t slab_count; /* or a slab of a slab */
    int64_t *runs; /* [value_count + 1], of a stage that lays runs side by side: value v, a load or a constant, is what
                      is stored from coordinate runs[v] on, where its access begins; NULL: a stage's last value is what
                      is stored */
    int32_t run_axis;      /* along which they lie */
    int32_t base;          /* of an update in place: the temporary whose memory the slot takes over with the elements
                              that are there, each at its place, and of which it writes some; or -1 (plan/in_place.h) */
    int64_t alive_bytes;   /* while it runs, of outputs and temporaries (memory.c); */
    int64_t scratch_limit; /* of data memory that its executor may take besides, and what it takes: its scratch */
    int64_t scratch_bytes; /* memory, as far as it grows with the operands (execute/executor.h) */
    struct zc_stage
        *band;     /* NULL; or this stage over a band of an axis, which is run in its place, in turns with that */
    int64_t bands; /* of the stage behind it (run/bands.h): so many bands; 0 of that one */
    int band_axis;
    bool is_band;   /* of a stage: what it is prepared with runs all bands, and what it reads and stores moves along
                       band_axis */
    int32_t number; /* where it stands in the plan (explain/counts.c) */
    const struct zc_stage_executor *executor; /* that it is prepared for (execute/executor.h); NULL before, */
    void *prepared;                           /* and what that made of it, */
    void (*release)(void *prepared);          /* which this ends, if there is anything to end */
} zc_stage;

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
    int first_stage; /* the stage that first writes it and the last one that writes or reads it, or -1 */
    int last_stage;
    int32_t memory; /* the slot whose memory it shares, or itself (zc_slot_memory) */
    int32_t holder; /* of a memory: the slot whose elements are in it at last */
    bool is_read;   /* by a stage */
    bool is_taken; /* its node ends with the run and is the base of an update that may have its memory (lower/buy.h); */
    bool takes_over; /* its node is such an update */
} zc_slot;

static inline bool zc_slot_is_bought(const zc_slot *slot)
{
    return slot->kind == ZC_SLOT_OUTPUT && slot->node != NULL;
}

typedef enum zc_layout {
    ZC_LAYOUT_DENSE,  /* every element of a result, row-major */
    ZC_LAYOUT_COMPACT /* elements that only broadcast axes tell apart are stored once */
} zc_layout;

/* What is asked for: plans are made from it. */
typedef struct zc_plan_request {
    int count;
    const zc_tensor *const *tensors; /* [count], of one context; there is one at least */
    zc_layout layout;
    const zc_view *target;   /* of one tensor: where its elements go in the caller's memory, of the tensor's shape and
                                dense; or NULL: memory of its own */
    int64_t target_elements; /* of the caller's memory */
    const char *function;    /* that error sentences name */
    bool buys;               /* nodes that runs would compute again are stored beside the results (lower/buy.h), */
    int due_count;           /* and these pending nodes */
    zc_node *const *due;     /* [due_count] */
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
    zc_table inputs;        /* slots of inputs, by buffer and dtype */
    int64_t held_bytes;     /* memory.c: of the distinct buffers it reads */
    int64_t logical_bytes;  /* of all results, written out; saturates */
    int64_t output_bytes;   /* of the outputs */
    int64_t bought_bytes;   /* of those that are no results */
    int64_t written_bytes;  /* of the outputs and every temporary */
    int64_t alive_bytes;    /* of the outputs and the temporaries alive at once; an output is from its first stage on */
    int64_t peak_bytes;     /* the same with the scratch memory of the stage that runs then */
    int64_t eager_bytes;    /* lower.c: what is alive in an eager runtime is this much at least */
    int64_t plan_bytes;     /* planner.c: of header memory, the most that it was made in at once */
    int64_t *bytes;         /* [slot_count] */
    int64_t *stored;        /* [slot_count]: elements that stages store into each, at most all; NULL: all of each */
    int32_t *ends_first;    /* [stage_count]: the first memory that no later stage uses, or -1; the others follow */
    int32_t *ends_next;     /* [slot_count]: in this chain */
    int64_t *shift;         /* [slot_count], of a kept plan: how far inputs stand behind where they stood; or NULL */
    char **at;              /* [slot_count], while it runs: where each slot's elements are */
    zc_buffer **buffers;    /* [slot_count], likewise: of the outputs and the temporaries while they are alive */
    zc_takeover *takeovers; /* [takeover_count], likewise; with room for all of them */
    int32_t takeover_count, takeover_room;
    zc_rent *rents; /* [rent_count] */
    int32_t rent_count, rent_room;
    int due_count; /* as requested, until the graph is lowered */
    zc_node *const *due;
    bool buys;               /* as requested */
    bool is_short_of_memory; /* it would buy more if it could */
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

/* A new slot; -1 when memory is out. An input's slot is found again by its buffer and dtype. */
int32_t zc_plan_add_slot(zc_plan *plan, zc_slot_kind kind, zc_dtype dtype, int64_t elements, const zc_buffer *buffer);

/* What was asked for, as a view of its node. */
static inline void zc_result_asked(const zc_plan *plan, int32_t result, zc_view *view)
{
    zc_tensor_view(plan->results[result].asked, view);
}

/* Whether a result is in memory already, densely. */
static inline bool zc_result_exists(const zc_plan *plan, int32_t result)
{
    return plan->slots[plan->results[result].slot].kind == ZC_SLOT_INPUT;
}

/* The slot of an input, or -1. */
int32_t zc_plan_find_input(const zc_plan *plan, zc_dtype dtype, const zc_buffer *buffer);

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

/* Whether the value reads a slot: at value->slot, by value->access. */
static inline bool zc_value_reads(const zc_value *value)
{
    return value->kind == ZC_VALUE_LOAD || value->kind == ZC_VALUE_PICK;
}

/* Whether the value has an access: value->access. */
static inline bool zc_value_moves(const zc_value *value)
{
    return zc_value_reads(value) || value->kind == ZC_VALUE_INDEX;
}

static inline const zc_value *zc_stage_result(const zc_stage *stage)
{
    return &stage->values[stage->value_count - 1];
}

/* How many values make an element: all of them, or the one in whose run it lies. */
static inline int32_t zc_stage_values_each(const zc_stage *stage)
{
    return stage->runs != NULL ? 1 : stage->value_count;
}

/* The extent of an axis of the domain for value v: of its run, or the whole. */
static inline int64_t zc_stage_extent_of(const zc_stage *stage, int32_t v, int axis)
{
    bool is_run = stage->runs != NULL && axis == stage->run_axis;
    return is_run ? stage->runs[v + 1] - stage->runs[v] : stage->shape[axis];
}

/* Product of the extents of axes first .. last-1; they fit, since the domain's size was checked. */
int64_t zc_stage_extent(const zc_stage *stage, int first, int last);

/* The same of a set of axes. */
int64_t zc_stage_extent_along(const zc_stage *stage, uint64_t axes);

/* The values from which `value` is computed, and itself, as a bit set; of a stage that contracts. */
uint64_t zc_stage_values_under(const zc_stage *stage, int32_t value);

/* Elements that the stage stores, those that it clears among them. */
int64_t zc_stage_stored(const zc_stage *stage);

/* Elements of the domain times values: how much there is to do. Saturates. */
int64_t zc_stage_work(const zc_stage *stage);

/* Of all stages: elements times the costs of operations and the loads, and the elements that are stored. Saturates. */
int64_t zc_plan_work(const zc_plan *plan);

#endif
