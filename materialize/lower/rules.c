#include "materialize/lower/rules.h"

#include "materialize/lower/concat.h"
#include "materialize/lower/equal.h"
#include "materialize/lower/needed.h"
#include "materialize/lower/packed.h"
#include "materialize/lower/picked.h"
#include "materialize/lower/region.h"
#include "materialize/lower/steps.h"

static bool applies_always(zc_lowering *l, zc_needed *needed)
{
    (void)l, (void)needed;
    return true;
}

/* Tells a node that maps make of something that is taken or joined: where that is read at computed positions, too, it
 * is not picked, and slabs of it are not made by blocks. */
static bool is_rearranged(const zc_lowering *l, const zc_needed *needed)
{
    enum { MOST = 16 };
    const zc_needed *list[MOST] = {needed};
    int count = 1;
    for (int i = 0; i < count; i++) {
        const bool is_map = list[i]->is_made && list[i]->kind == ZC_NODE_MAP;
        const bool moves = list[i]->kind == ZC_NODE_TAKE || list[i]->kind == ZC_NODE_CONCAT;
        if ((list[i]->is_made && moves) || (is_map && list[i]->operand_count > MOST - count))
            return true;
        for (int o = 0; is_map && o < list[i]->operand_count; o++)
            list[count++] = zc_needed_operand(l, list[i], o);
    }
    return false;
}

static bool applies_has_numbers(zc_lowering *l, zc_needed *needed)
{
    return zc_find_numbers(l, needed) != NULL && !is_rearranged(l, zc_needed_operand(l, needed, 0));
}

static bool applies_is_cut(zc_lowering *l, zc_needed *needed)
{
    return zc_may_be_cut(l, needed);
}

static bool applies_is_picked(zc_lowering *l, zc_needed *needed)
{
    return zc_is_picked_by_some(l, needed);
}

/* ---- Where it is stored anyway ---- */

/* A copy that was asked for is made where it is stored; for another node that would take less work. */
static bool applies_is_copy_asked_for(zc_lowering *l, zc_needed *needed)
{
    return needed->node->is_explicit_copy && !zc_is_stored_by_all(l, needed);
}

static bool applies_bought(zc_lowering *l, zc_needed *needed)
{
    (void)l;
    return needed->bought >= 0;
}

/* A node that is handed out as a result is used there, unless its elements repeat, which a result's do. */
static bool applies_is_used_result(zc_lowering *l, zc_needed *needed)
{
    (void)l;
    return needed->result >= 0 && needed->step_count > 1 && needed->node->invariant == 0;
}

/* ---- What contractions read ---- */

/* Tells a copy that no strides express and that contractions alone read: they pack their factors from any strides, so
 * they may read its operand where that stands. A copy that is no larger (a reshape of permuted axes) is
 * packed faster when it is stored, and takes no more memory than eager runtimes do; one that is (of windows) is not. */
static bool applies_is_copy_for_factors(zc_lowering *l, zc_needed *needed)
{
    const zc_node *node = needed->node;
    const zc_step *step = needed->steps;
    if (node->kind != ZC_NODE_MAP || node->op != ZC_OP_COPY ||
        (node->size <= node->edges[0].node->size && l->policy != ZC_POLICY_LEAN))
        return false;
    while (step != NULL && zc_is_factor_step(step))
        step = step->next;
    return step == NULL;
}

static bool applies_is_computed_when_packed(zc_lowering *l, zc_needed *needed)
{
    return zc_is_computed_when_packed(l, needed);
}

static bool applies_is_not_affine(zc_lowering *l, zc_needed *needed)
{
    (void)needed;
    return l->is_not_affine;
}

/* ---- Storing and repeating ---- */

/* Below this much work a stage of its own takes longer than it saves. Each further time that a node is inlined takes as
 * long to plan. */
static double stage_work(const zc_lowering *l)
{
    static const double work = 4096;
    return l->policy == ZC_POLICY_FAST ? work : 0;
}

static double domains_of(const zc_needed *needed)
{
    double sum = 0;
    for (const zc_step *step = needed->steps; step != NULL; step = step->next)
        sum += (double)step->draft->size;
    return sum;
}

/* Under how many views a node may be inlined: any number where no operand is left to be decided (a mask that is
 * computed from positions, a number from numbers), and they are seen through strides. */
static int32_t most_steps(const zc_node *node)
{
    bool ends_here = node->kind == ZC_NODE_MAP && node->op != ZC_OP_COPY;
    for (int i = 0; i < node->edge_count; i++)
        ends_here &= node->edges[i].node->kind == ZC_NODE_CONSTANT || node->edges[i].node->kind == ZC_NODE_IOTA;
    return ends_here ? INT32_MAX : ZC_MOST_STEPS;
}

static double planned_again(const zc_lowering *l, const zc_needed *needed)
{
    return most_steps(needed->node) == ZC_MOST_STEPS ? stage_work(l) * (zc_count_views(needed) - 1) : 0;
}

static bool applies_is_lean(zc_lowering *l, zc_needed *needed)
{
    return l->policy == ZC_POLICY_LEAN && zc_count_views(needed) <= ZC_MOST_LEAN_STEPS;
}

/* Tells a node that is seen once, as it is: then all of it is demanded. */
static bool is_seen_once(zc_needed *needed)
{
    zc_view view;
    if (needed->step_count > 1 || needed->steps->draft->size != needed->node->size)
        return false;
    zc_step_view(needed->steps, &view);
    if (!zc_view_is_identity(&view, needed->node->size))
        return false;
    needed->demanded = needed->node->size;
    return true;
}

static bool applies_is_eager(zc_lowering *l, zc_needed *needed)
{
    if (l->policy != ZC_POLICY_EAGER)
        return false;
    if (is_seen_once(needed))
        return !zc_is_stored_by_all(l, needed);
    l->region_count = zc_find_regions(l, needed, true, -1);
    return needed->step_count > 1 || !zc_is_stored_by_all(l, needed) || (double)needed->demanded < domains_of(needed);
}

static bool applies_is_seen_often(zc_lowering *l, zc_needed *needed)
{
    return l->policy == ZC_POLICY_LEAN || (l->policy != ZC_POLICY_EAGER && needed->step_count > ZC_MOST_STEPS &&
                                           zc_count_views(needed) > most_steps(needed->node));
}

/* Tells a node whose elements are as well computed again, in rows that fill vectors wherever they are read. */
static bool is_spread_in_rows(const zc_needed *needed)
{
    enum { LEAST_ROW = 16 };
    const zc_node *node = needed->node;
    return zc_is_spread(needed) && node->shape[node->rank - 1] >= LEAST_ROW; /* of many elements, so of a rank */
}

/* The part of the domain along whose axes an edge moves. */
static double moved_part(const zc_node *node, int edge)
{
    double part = 1;
    for (int a = 0; a < node->rank; a++)
        part /= node->edges[edge].stride[a] == 0 ? (double)node->shape[a] : 1;
    return part;
}

/* Work of an element of a spread node if it is inlined: operands that repeat are hoisted out of it. */
static double cost_hoisted(const zc_lowering *l, const zc_needed *needed)
{
    double cost = needed->cost;
    for (int32_t i = 0; i < needed->operand_count && needed->kind == ZC_NODE_MAP; i++)
        cost -= (1 - moved_part(needed->node, i)) * zc_cost_of_operand(zc_needed_operand(l, needed, i));
    return cost > 1 ? cost : 1;
}

/* Tells whether storing what is demanded of a node takes less work than computing it for every step: not where a stage
 * is more work than computing it, whatever is demanded. */
static bool is_better_stored(zc_lowering *l, zc_needed *needed)
{
    if (l->policy == ZC_POLICY_EAGER || is_seen_once(needed))
        return false;
    const bool is_spread = l->policy == ZC_POLICY_FAST && is_spread_in_rows(needed);
    const double cost = is_spread ? cost_hoisted(l, needed) : needed->cost, traffic = is_spread ? 2 : 1;
    const double computed = domains_of(needed);
    const double inlined = computed * cost + planned_again(l, needed);
    if (l->policy == ZC_POLICY_FAST && inlined - computed <= stage_work(l)) {
        needed->demanded = zc_find_shown(needed);
        return false;
    }
    const bool may_be_apart = l->plan->may_be_apart;
    l->region_count = zc_find_regions(l, needed, true, -1);
    const double read = computed * traffic, each = cost + traffic;
    const double stored = (double)needed->demanded * each + read + stage_work(l) * l->region_count;
    const double in_parts = (double)l->in_parts * each + read + stage_work(l) * l->part_count;
    if (inlined <= stored && inlined <= in_parts) /* it is no stage either way */
        l->plan->may_be_apart = may_be_apart;
    return l->policy == ZC_POLICY_WORK ? inlined >= stored : inlined > stored;
}

/* Number of edges from a node to an operand. */
static int32_t count_edges(const zc_lowering *l, const zc_needed *consumer, const zc_needed *operand)
{
    int32_t count = 0;
    for (int32_t o = 0; o < consumer->operand_count; o++)
        count += zc_needed_operand(l, consumer, o) == operand;
    return count;
}

/* Tells a node that one consumer alone needs, and that is not stored for anything else. */
static bool is_needed_once(const zc_lowering *l, const zc_needed *consumer, const zc_needed *needed)
{
    return needed->is_made && needed->result < 0 && needed->bought < 0 &&
           needed->consumers == count_edges(l, consumer, needed);
}

/* Tells a node whose elements are joined along its first axis. */
static bool joins_rows(const zc_node *node)
{
    int a = 0;
    while (a < node->rank && node->shape[a] == 1)
        a++;
    return node->op == a;
}

/* Tells a map that maps make of several concats, one of them of rows, the largest of which has no fewer bytes. */
static bool is_made_of_concats(const zc_lowering *l, const zc_needed *needed)
{
    enum { MOST = 32 };
    const zc_needed *list[MOST] = {needed};
    int count = 1, concats = 0, of_rows = 0;
    double most = 0;
    for (int i = 0; i < count; i++) {
        for (int o = 0; o < list[i]->operand_count && count < MOST; o++) {
            const zc_needed *operand = zc_needed_operand(l, list[i], o);
            const bool is_concat = operand->kind == ZC_NODE_CONCAT && operand->operand_count <= ZC_MOST_CUT;
            int known = 0;
            while (known < count && list[known] != operand)
                known++;
            if (known < count || !is_needed_once(l, list[i], operand) || (!is_concat && operand->kind != ZC_NODE_MAP))
                continue;
            concats += is_concat;
            of_rows += is_concat && joins_rows(operand->node);
            most = is_concat && zc_needed_bytes(operand) > most ? zc_needed_bytes(operand) : most;
            list[count++] = operand;
        }
    }
    return concats > 1 && of_rows > 0 && zc_needed_bytes(needed) <= most;
}

/* Tells a large map that reductions alone see, as it is, and that is made of concats which take more memory together:
 * reductions are not cut. Other policies have plans without it: where it takes more, they are chosen. */
static bool applies_is_cut_before(zc_lowering *l, zc_needed *needed)
{
    const zc_step *step = needed->steps;
    if (!l->has_concats || l->policy != ZC_POLICY_FAST || needed->kind != ZC_NODE_MAP || needed->result >= 0 ||
        needed->bought >= 0 || !zc_may_be_cut_at_all(l, needed->node->size))
        return false;
    while (step != NULL && step->draft->stage->kind->reduces && step->draft->size == needed->node->size)
        step = step->next;
    return step == NULL && is_made_of_concats(l, needed);
}

static bool applies_is_shared(zc_lowering *l, zc_needed *needed)
{
    return needed->step_count > 1 && is_better_stored(l, needed);
}

static bool applies_is_hoisted(zc_lowering *l, zc_needed *needed)
{
    return needed->step_count == 1 && is_better_stored(l, needed);
}

/* ---- The table ---- */

#define NODE(KIND)       (UINT32_C(1) << ZC_NODE_##KIND)
#define NODES_REDUCING   (NODE(REDUCE) | NODE(CONTRACT))
#define NODES_SOURCE     NODE(SOURCE)
#define NODES_SELECT     NODE(SELECT)
#define NODES_SCAN       NODE(SCAN)
#define NODES_SCATTER    NODE(SCATTER)
#define NODES_CONCAT     NODE(CONCAT)
#define NODES_ELEMENTS   (NODE(MAP) | NODE(TAKE))
#define NODES_CONTRACTED (NODES_ELEMENTS | ZC_SEEN_BY_CONTRACTION)
#define NODES_SPECIAL    (NODES_ELEMENTS | ZC_SPECIAL)

enum { CHOICE, FORCED };

const zc_rule zc_rules[ZC_RULES] = {
#define ZC_ORIGIN(NAME, name, sentence)
#define ZC_RULE(NAME, name, nodes, applies, outcome, force, sentence)                                                  \
    {ZC_STAGE_##NAME, ZC_OUTCOME_##outcome, NODES_##nodes, force == FORCED, applies_##applies},
#include "materialize/plan/rules.def"
#undef ZC_RULE
#undef ZC_ORIGIN
};

enum { MOST_RULES = 32 };
_Static_assert((int)ZC_RULES < (int)MOST_RULES, "a bit each");

/* Sets of rules: those about what a contraction sees, those about special nodes, and those that inline. */
#define ZC_ORIGIN(NAME, name, sentence)
static const uint32_t contracted_alone = 0
#define ZC_RULE(NAME, name, nodes, applies, outcome, force, sentence)                                                  \
    | (uint32_t)((NODES_##nodes & ZC_SEEN_BY_CONTRACTION) != 0) << ZC_RULE_##NAME
#include "materialize/plan/rules.def"
#undef ZC_RULE
    ;
static const uint32_t special_alone = 0
#define ZC_RULE(NAME, name, nodes, applies, outcome, force, sentence)                                                  \
    | (uint32_t)((NODES_##nodes & ZC_SPECIAL) != 0) << ZC_RULE_##NAME
#include "materialize/plan/rules.def"
#undef ZC_RULE
    ;
static const uint32_t inlining = 0
#define ZC_RULE(NAME, name, nodes, applies, outcome, force, sentence)                                                  \
    | (uint32_t)(ZC_OUTCOME_##outcome == ZC_OUTCOME_INLINE) << ZC_RULE_##NAME
#include "materialize/plan/rules.def"
#undef ZC_RULE
    ;
#undef ZC_ORIGIN

static uint32_t rules_about(unsigned kind)
{
    uint32_t rules = 0;
    for (int i = 0; i < ZC_RULES; i++)
        rules |= (zc_rules[i].nodes >> kind & 1) << i;
    return rules;
}

/* Tells a node of which rules about NODES_SPECIAL are asked. */
static bool is_special(const zc_lowering *l, const zc_needed *needed)
{
    const bool is_usual = l->policy == ZC_POLICY_FAST || l->policy == ZC_POLICY_WORK;
    return !is_usual || l->is_not_affine || needed->result >= 0 || needed->bought >= 0 ||
           needed->node->is_explicit_copy;
}

uint32_t zc_find_rules(zc_lowering *l, const zc_needed *needed)
{
    uint32_t *about = &l->rules_about[needed->kind];
    if (*about == 0)
        *about = rules_about(needed->kind);
    return *about & ~(l->is_contracted ? 0 : contracted_alone) & ~(is_special(l, needed) ? 0 : special_alone) &
           ~(l->is_not_affine ? inlining : 0);
}

bool zc_rule_applies(const zc_rule *rule, zc_lowering *l, zc_needed *needed)
{
    return rule->applies(l, needed);
}
