/*
 * A stage: a fused loop over a domain, and what makes its kind.
 *
 * Every stage has a domain, accesses, values and a store. What a kind has besides is its own part of the union, which
 * the kind's files alone name: those called by it in stages/, lower/ and tile/. All others ask the columns of
 * zc_stage_kind. A new kind is a row of stage_kinds.def and a file in stages/.
 */
#ifndef ZC_MATERIALIZE_PLAN_STAGE_H
#define ZC_MATERIALIZE_PLAN_STAGE_H

#include "runtime/context/text.h"
#include "runtime/graph/tensor.h"
#include "runtime/memory/table.h"

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

/* Why a stage is one of its own: the rule that decided so. A byte: plans have many stages. */
typedef enum __attribute__((packed)) zc_stage_reason {
#define ZC_ORIGIN(NAME, name, sentence)                               ZC_STAGE_##NAME,
#define ZC_RULE(NAME, name, nodes, applies, outcome, force, sentence) ZC_STAGE_##NAME,
#include "materialize/plan/rules.def"
#undef ZC_RULE
#undef ZC_ORIGIN
    ZC_STAGE_REASONS
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

/* The place of a stage's results. */
typedef struct zc_store {
    int32_t slot;
    int32_t overwritten; /* temporary whose memory the slot takes over while the stage reads it, or -1 (memory.c) */
    int32_t base;        /* of an update in place: temporary whose memory the slot takes over with the elements that are
                            there, each at its place, and of which the stage writes some; or -1 (rewrite/in_place.h) */
    zc_dtype dtype;
    int64_t offset;
    int64_t *stride; /* [kept] */
    zc_slab *slabs;  /* [slab_count], outermost first: all of the slot (none), a slab of that, or a slab of a slab */
    int32_t slab_count;
    bool updates;   /* elements are there: those of `base`, or made in the slot by stages before it and read by none */
    int64_t clears; /* number of elements that are set to zero before, all that are stored into; 0: none */
} zc_store;

typedef struct zc_stage zc_stage;
struct zc_words;
struct zc_evaluator;

/* A name of a word or two, and the sentence behind it. */
typedef struct zc_named {
    const char *name, *sentence;
} zc_named;

/* The way in which a stage absorbs blocks. */
typedef struct zc_absorption {
    int64_t elements;    /* that each block but the last joins into a result; 0: any number */
    int64_t state_bytes; /* from which it goes on, of all results together */
} zc_absorption;

/* A kind of stages: facts and functions. A column that may be NULL says so. */
typedef struct zc_stage_kind {
    const char *name;
    bool is_elementwise; /* stores at each place what the values make there, in any order, and nothing else */
    bool reduces;        /* has the part `reduce`: axes from `kept` on are reduced; those of other kinds are kept */
    bool packs_operands; /* reads each element of two operands many times, and takes scratch memory for them */
    bool may_meet;       /* stores that reach an element twice */

    /* Number of leading axes along which elements are made in any order; along the others one is made after the other.
     * NULL: those that are kept, and the others are joined. */
    int (*free_axes)(const zc_stage *stage);

    /* Values that the end of the stage reads besides its result, as numbers to read or set. NULL: none. */
    int32_t *(*besides)(zc_stage *stage, int *count);

    /* Extents of the checks that move the store, and elements of the slot per position: their number. NULL: none. */
    int (*moves)(const zc_stage *stage, int64_t *extent, int64_t *step);

    /* Tells a stage that goes on where it was stopped along its reduced axes (plan/group.h), and says how. NULL: none
     * does. */
    bool (*absorbs)(const zc_stage *stage, zc_absorption *how);

    /* Number of coordinates along an axis that are made best together, from multiples of it on, at least 1. NULL: 1. */
    int64_t (*chunk)(const zc_stage *stage, int axis);

    /* The extent of an axis of the domain for value v. NULL: all values are computed over the whole domain; else they
     * lie side by side in it. */
    int64_t (*extent_of)(const zc_stage *stage, int32_t v, int axis);

    /* Loads and operations, in the unit of zc_plan_work(). NULL: of each value for each element of the domain. */
    double (*work)(const zc_stage *stage);

    /* The rule of the kind that a stage of a plan breaks, or NULL. NULL: there is none. */
    const char *(*broken_rule)(const zc_stage *stage);

    /* Adds the kind's own part (stage_words.h). */
    void (*add_words)(const zc_stage *stage, struct zc_words *words);

    /* Makes and stores the element at the evaluator's position: the definition of the kind. `to` is its place before
     * checks move it. NULL: an executor of its own runs all stages of the kind. */
    void (*make_element)(struct zc_evaluator *e, char *to);

    /* Stores all elements of a stage that is put (zc_stage_is_put), whose positions were checked: cannot fail. slots[i]
     * is where slot i's elements are, `to` the place of the first element before checks move it. NULL: no such stage is
     * put. */
    void (*put)(const zc_stage *stage, char *const *slots, char *to);

    /* The name of the result, and what becomes of the last value. NULL: that of this value; it is stored. */
    const char *(*result_name)(const zc_stage *stage);
    zc_named (*result_use)(const zc_stage *stage);

    /* Add to a stage's explanation: a line, members of its object. NULL: nothing. */
    void (*add_text)(const zc_stage *stage, zc_text_builder *text);
    void (*add_json)(const zc_stage *stage, zc_text_builder *text);
} zc_stage_kind;

/* The kinds' own fields. */
#define ZC_STAGE_FIELD(type, name)       type name;
#define ZC_STAGE_LIST(type, name, count) type *name;
#define ZC_PLAIN_STAGE_KIND(kind)
#define ZC_STAGE_KIND_LIKE(kind, other)
#define ZC_STAGE_KIND(kind, fields)                                                                                    \
    typedef struct zc_##kind##_part {                                                                                  \
        fields                                                                                                         \
    } zc_##kind##_part;
#include "materialize/plan/stage_kinds.def"
#undef ZC_STAGE_KIND
#define ZC_STAGE_KIND(kind, fields) zc_##kind##_part kind;

struct zc_stage {
    const zc_stage_kind *kind;
    int rank;         /* of the domain */
    int kept;         /* axes kept .. rank-1 are reduced; rank when nothing is */
    int64_t *shape;   /* [rank] */
    zc_value *values; /* [value_count]; the last is the result before reducing */
    int32_t value_count;
    int32_t access_count;
    int64_t *offset; /* [access_count] */
    int64_t *stride; /* [access_count][rank] */
    zc_stage_reason reason;
    bool feeds; /* another stage reads what its slot holds (memory.c) */
    zc_store store;
    union {
#include "materialize/plan/stage_kinds.def"
    };
    int64_t alive_bytes;      /* while it runs, of outputs and temporaries (memory.c); */
    int64_t scratch_limit;    /* of data memory that its executor may take besides, and what it takes: its scratch */
    int64_t scratch_bytes;    /* memory, as far as it grows with the operands (execute/executor.h) */
    struct zc_member *member; /* its place in a group, or NULL (plan/group.h) */
    int32_t number;           /* where it stands in the plan (explain/counts.c) */
    const struct zc_stage_executor *executor; /* that it is prepared for (execute/executor.h); NULL before, */
    void *prepared;                           /* and what that made of it, */
    void (*release)(void *prepared);          /* which this ends, if there is anything to end */
};

#undef ZC_STAGE_KIND
#undef ZC_STAGE_KIND_LIKE
#undef ZC_PLAIN_STAGE_KIND
#undef ZC_STAGE_LIST
#undef ZC_STAGE_FIELD

/* Tells a value that reads a slot: value->slot, by value->access. */
static inline bool zc_value_reads(const zc_value *value)
{
    return value->kind == ZC_VALUE_LOAD || value->kind == ZC_VALUE_PICK;
}

/* Tells a value that has an access: value->access. */
static inline bool zc_value_moves(const zc_value *value)
{
    return zc_value_reads(value) || value->kind == ZC_VALUE_INDEX;
}

/* Tells a stage that reads a slot. */
static inline bool zc_stage_reads(const zc_stage *stage, int32_t slot)
{
    int32_t v = 0;
    while (v < stage->value_count && !(zc_value_reads(&stage->values[v]) && stage->values[v].slot == slot))
        v++;
    return v < stage->value_count;
}

static inline const zc_value *zc_stage_result(const zc_stage *stage)
{
    return &stage->values[stage->value_count - 1];
}

/* Tells a stage that reads nothing at computed positions, and checks none. */
static inline bool zc_stage_has_no_positions(const zc_stage *stage)
{
    int32_t v = 0;
    while (v < stage->value_count && stage->values[v].kind != ZC_VALUE_CHECK && stage->values[v].kind != ZC_VALUE_PICK)
        v++;
    return v == stage->value_count;
}

/* Gives a store the slabs of `whole`, and one of `length` from `first` on along an axis of that extent, which is one
 * with the last of these along the same axis. False when memory is out. */
bool zc_store_add_slab(zc_arena *arena, const zc_store *whole, zc_slab slab, zc_store *store);

/* Tells a stage that stores its only value as it is: what a slot holds, or a number. */
static inline bool zc_stage_is_copy(const zc_stage *stage)
{
    const zc_value *result = zc_stage_result(stage);
    return stage->kind->is_elementwise && stage->value_count == 1 &&
           (result->kind == ZC_VALUE_LOAD || result->kind == ZC_VALUE_CONSTANT);
}

/* Tells a stage that stores elements which a slot holds, or a number, at places by strides or by checks of what slots
 * hold. */
bool zc_stage_is_put(const zc_stage *stage);

/* Tells a stage whose values lie side by side, each in its part of the domain. */
static inline bool zc_stage_is_parted(const zc_stage *stage)
{
    return stage->kind->extent_of != NULL;
}

/* Number of values that make an element: all of them, or the one in whose part it lies. */
static inline int32_t zc_stage_values_each(const zc_stage *stage)
{
    return zc_stage_is_parted(stage) ? 1 : stage->value_count;
}

/* The extent of an axis of the domain for value v: of its part, or the whole. */
static inline int64_t zc_stage_extent_of(const zc_stage *stage, int32_t v, int axis)
{
    return zc_stage_is_parted(stage) ? stage->kind->extent_of(stage, v, axis) : stage->shape[axis];
}

/* Number of leading axes along which elements are made in any order. */
static inline int zc_stage_free_axes(const zc_stage *stage)
{
    return stage->kind->free_axes != NULL ? stage->kind->free_axes(stage) : stage->kept;
}

/* Tells a stage that makes elements one after the other along the axes that are not free. */
static inline bool zc_stage_is_ordered(const zc_stage *stage)
{
    return stage->kind->free_axes != NULL;
}

/* Values that the end of the stage reads besides its result: as numbers to set, or to read. */
static inline int32_t *zc_stage_besides_to_set(zc_stage *stage, int *count)
{
    *count = 0;
    return stage->kind->besides != NULL ? stage->kind->besides(stage, count) : NULL;
}

static inline const int32_t *zc_stage_besides(const zc_stage *stage, int *count)
{
    return zc_stage_besides_to_set((zc_stage *)(uintptr_t)stage, count);
}

/* Number of checks that move the store, with their extents and steps. */
static inline int zc_stage_store_moves(const zc_stage *stage, int64_t *extent, int64_t *step)
{
    return stage->kind->moves != NULL ? stage->kind->moves(stage, extent, step) : 0;
}

/* A stage of a kind, with nothing in it. */
void zc_stage_init(zc_stage *stage, const zc_stage_kind *kind, zc_stage_reason reason);

/* Product of the extents of axes first .. last-1; they fit, since the domain's size was checked. */
int64_t zc_stage_extent(const zc_stage *stage, int first, int last);

/* The same of a set of axes. */
int64_t zc_stage_extent_along(const zc_stage *stage, uint64_t axes);

/* The values from which `value` is computed, and itself, as a bit set; of a stage that contracts. */
uint64_t zc_stage_values_under(const zc_stage *stage, int32_t value);

/* Elements that the stage stores, those that it clears among them. */
int64_t zc_stage_stored(const zc_stage *stage);

/* Number of elements that are joined into each result: along the reduced axes that are walked. */
int64_t zc_walked_count(const zc_stage *stage);

/* Tells a stage that joins elements into its results: none does when no axis is left to walk, or all are empty. */
bool zc_is_combined(const zc_stage *stage);

/* Elements of the domain times values: how much there is to do. Saturates. */
int64_t zc_stage_work(const zc_stage *stage);

/* Cost of a value for an element: an index is made as often as a load is read. */
double zc_value_work(const zc_value *value);

/* Cost of all values for an element. */
double zc_stage_work_each(const zc_stage *stage);

/* Elements along some axes of the domain, as a bit set. */
double zc_stage_real_extent(const zc_stage *stage, uint64_t axes);

/* Loads, operations and stores of the stage, in the unit of zc_plan_work(). */
double zc_stage_exact_work(const zc_stage *stage);

#endif
