/*
 * What a plan is made for.
 */
#ifndef ZC_MATERIALIZE_PLAN_POLICY_H
#define ZC_MATERIALIZE_PLAN_POLICY_H

/* The aim of lowering. Each policy's plans have the same bits. */
typedef enum zc_policy {
    ZC_POLICY_FAST,  /* the least work, but for stages of their own that would take longer than they save */
    ZC_POLICY_WORK,  /* the least work without keeping equal nodes for each other */
    ZC_POLICY_APART, /* the same as the first, but what several views show of a large node is made for each of them */
    ZC_POLICY_EAGER, /* every node stored: what an eager runtime does */
    ZC_POLICY_LEAN,  /* the fewest temporaries: what can be computed again is not stored */
    ZC_POLICY_COUNT
} zc_policy;

#endif
