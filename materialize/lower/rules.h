/*
 * Rules: what becomes of a node that has no elements in memory (plan/rules.def).
 *
 * Work is counted in elements: an operation at its cost in the table of operations, a load and a store as one each. If
 * a node is inlined, every element of the domains that see it costs `cost`; if it is stored, every demanded element
 * costs that and a store, and every element of the domains a load. Storing everything is what an eager runtime does;
 * each node that is inlined because it takes less work than that leaves less, so a plan never does more.
 */
#ifndef ZC_MATERIALIZE_LOWER_RULES_H
#define ZC_MATERIALIZE_LOWER_RULES_H

#include "materialize/lower/lower.h"

typedef enum zc_outcome {
    ZC_OUTCOME_STORE,
    ZC_OUTCOME_INLINE,
    ZC_OUTCOME_PASS_ON,
    ZC_OUTCOME_ASSEMBLE,
    ZC_OUTCOME_CUT
} zc_outcome;

/* Bits of zc_rule.nodes above those of the kinds. ZC_SPECIAL: an explicit copy, a bought node, a result, or one that is
 * not affine; or any node where the policy is neither FAST nor WORK. */
#define ZC_SEEN_BY_CONTRACTION (UINT32_C(1) << 31)
#define ZC_SPECIAL             (UINT32_C(1) << 30)

typedef struct zc_rule {
    zc_stage_reason reason;
    zc_outcome outcome;
    uint32_t nodes; /* kinds of nodes that it is about, as a bit set; where bits above are set, only such nodes */
    bool is_forced;
    /* May set l->regions, l->region_count and needed->demanded, which later rules and storing read; nothing else. */
    bool (*applies)(zc_lowering *l, zc_needed *needed);
} zc_rule;

enum {
#define ZC_ORIGIN(NAME, name, sentence)
#define ZC_RULE(NAME, name, nodes, applies, outcome, force, sentence) ZC_RULE_##NAME,
#include "materialize/plan/rules.def"
#undef ZC_RULE
#undef ZC_ORIGIN
    ZC_RULES
};

extern const zc_rule zc_rules[ZC_RULES];

/* The rules that are about the node at hand, as a bit set. */
uint32_t zc_find_rules(zc_lowering *l, const zc_needed *needed);

/* Tells whether the rule applies to a node at hand that it is about. */
bool zc_rule_applies(const zc_rule *rule, zc_lowering *l, zc_needed *needed);

#endif
