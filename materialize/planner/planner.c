#include "materialize/planner/planner.h"

#include "materialize/plan/policy.h"
#include "materialize/planner/again.h"
#include "materialize/planner/groups.h"
#include "materialize/planner/passes.h"
#include "materialize/run/executors.h"
#include "materialize/run/few.h"
#include "runtime/dtypes/float_environment.h"
#include "runtime/graph/pending.h"

#include <string.h>

static zc_status begin(const zc_plan_request *r, zc_policy policy, bool keeps_slabs, int64_t enough, zc_plan *plan)
{
    plan->ctx = r->tensors[0]->ctx;
    plan->target = r->target;
    plan->target_elements = r->target_elements;
    zc_arena_init(&plan->arena, plan->ctx->heap);
    plan->arena.limit = plan->ctx->options.header_limit;
    plan->inputs = (zc_table){.arena = &plan->arena};
    plan->stages = NULL;
    plan->slots = NULL;
    plan->shift = NULL;
    plan->at = NULL;
    plan->buffers = NULL;
    plan->takeovers = NULL;
    plan->takeover_count = plan->takeover_room = 0;
    plan->is_kept = false;
    plan->buys = r->buys && !plan->ctx->options.recompute;
    plan->due = r->due;
    plan->apart = r->apart;
    plan->apart_count = r->apart_count;
    plan->due_count = plan->buys ? r->due_count : 0;
    plan->is_short_of_memory = plan->is_split = false;
    plan->enough_bytes = enough;
    plan->keeps_slabs = keeps_slabs;
    plan->rents = NULL;
    plan->rent_count = plan->rent_room = 0;
    plan->stage_count = plan->stage_room = plan->slot_count = plan->slot_room = 0;
    plan->results = zc_arena_take(&plan->arena, (size_t)r->count, sizeof *plan->results);
    plan->result_count = r->count;
    zc_status status = plan->results != NULL ? ZC_OK
                       : plan->arena.is_over ? zc_plan_refuse_size(plan, r->function)
                                             : zc_fail_memory(plan->ctx, r->function);
    for (int i = 0; plan->results != NULL && i < r->count; i++)
        plan->results[i] = (zc_plan_result){.asked = r->tensors[i], .slot = -1};
    if (status == ZC_OK)
        status = zc_plan_pass(plan, policy, r->layout, r->function);
    if (status != ZC_OK)
        zc_plan_free(plan);
    return status;
}

static bool fits(const zc_plan *plan)
{
    return zc_check_limit(plan->ctx, plan->needed_bytes, NULL) == ZC_OK;
}

/* Plans by policy, as they are needed. */
typedef struct candidates {
    zc_plan plan[ZC_POLICY_COUNT];
    bool is_made[ZC_POLICY_COUNT];
    bool is_apart;       /* the fast plan is the one with views apart */
    int64_t eager_bytes; /* of a plan of which no more was made, since that is enough for the fast one; or 0 */
} candidates;

/* Forgives what one plan more may fail by where another one is there: it is too large to be made, or to be counted, or
 * there is no memory for it. */
static zc_status forgive(const zc_plan_request *r, zc_status status)
{
    /* LCOV_EXCL_BR_START: plans whose bytes overflow are too large as well */
    if (status != ZC_ERROR_BUDGET && status != ZC_ERROR_OVERFLOW && status != ZC_ERROR_MEMORY)
        return status;
    /* LCOV_EXCL_BR_STOP */
    zc_error_clear(r->tensors[0]->ctx);
    return ZC_OK;
}

/* Plans again where temporaries were split into slabs for groups: without groups enough, pieces of many sizes rarely
 * fit memory that other pieces leave. The plan with temporaries as they were is taken unless it needs more. */
static zc_status prefer_whole(const zc_plan_request *r, zc_policy policy, zc_plan *plan)
{
    zc_plan whole;
    const zc_status status = begin(r, policy, true, 0, &whole);
    if (status != ZC_OK)
        return forgive(r, status);
    const bool takes = whole.needed_bytes <= plan->needed_bytes;
    const int64_t together = plan->arena.bytes + whole.plan_bytes; /* proven: headers that are there */
    zc_plan_free(takes ? plan : &whole);
    if (takes)
        *plan = whole;
    plan->plan_bytes = zc_larger(plan->plan_bytes, together);
    return ZC_OK;
}

static bool fits_or_must(const zc_plan *plan)
{
    return fits(plan) || plan->needed_bytes <= plan->output_bytes;
}

/* Finds how much an eager runtime has to need for the fast plan to be taken; 0: it is not, however much that is. */
static int64_t find_enough(const candidates *c)
{
    const zc_plan *fast = &c->plan[ZC_POLICY_FAST];
    return fits_or_must(fast) ? fast->needed_bytes : 0;
}

static zc_status make_candidate(const zc_plan_request *r, candidates *c, zc_policy policy)
{
    zc_plan *plan = &c->plan[policy];
    zc_status status = begin(r, policy, false, policy == ZC_POLICY_WORK ? find_enough(c) : 0, plan);
    const bool may_be_whole = status == ZC_OK && plan->is_split && plan->ctx->block_length < 0;
    if (may_be_whole && (status = prefer_whole(r, policy, plan)) != ZC_OK)
        zc_plan_free(plan);
    c->is_made[policy] = status == ZC_OK && !plan->is_bound;
    if (status == ZC_OK && plan->is_bound) {
        c->eager_bytes = plan->eager_bytes;
        zc_plan_free(plan);
    }
    return status;
}

/* Makes a plan beside one that is there, which is asked for where that one will not do: without memory there is none.
 */
static zc_status try_candidate(const zc_plan_request *r, candidates *c, zc_policy policy)
{
    zc_status status = make_candidate(r, c, policy);
    return status == ZC_ERROR_MEMORY ? status : forgive(r, status);
}

static double work_of(const zc_plan *plan)
{
    double work = 0;
    for (int32_t s = 0; s < plan->stage_count; s++)
        work += zc_again_work(zc_plan_walk(plan, s));
    return work;
}

/* Tells a plan that needs half of another's memory, and does at most twice its work, or so much more as takes the time
 * that memory takes for what the other needs: each byte is written once and read twice. */
static bool is_better(const zc_plan *plan, const zc_plan *other)
{
    enum { MOVES = 3 };
    const double work = work_of(other), more = (double)other->needed_bytes * (double)(ZC_WORK_OF_BYTE * MOVES);
    return plan->needed_bytes <= other->needed_bytes / 2 && work_of(plan) <= work + (more > work ? more : work);
}

/* Makes the fast plan; where it holds much, with views apart if that is better. */
static zc_status make_fast(const zc_plan_request *r, candidates *c)
{
    zc_plan *fast = &c->plan[ZC_POLICY_FAST], *apart = &c->plan[ZC_POLICY_APART];
    zc_status status = make_candidate(r, c, ZC_POLICY_FAST);
    if (status != ZC_OK || !fast->may_be_apart || fast->needed_bytes - fast->output_bytes < ZC_LEAST_HELD)
        return status;
    status = forgive(r, make_candidate(r, c, ZC_POLICY_APART));
    if (status != ZC_OK || !c->is_made[ZC_POLICY_APART]) /* LCOV_EXCL_BR_LINE: tests stop smaller plans */
        return status;
    const bool takes = is_better(apart, fast);
    zc_plan_free(takes ? fast : apart);
    c->is_made[ZC_POLICY_APART] = false;
    c->is_apart = takes;
    if (takes)
        *fast = *apart;
    return ZC_OK;
}

static zc_policy find_smallest(const candidates *c)
{
    int smallest = ZC_POLICY_FAST;
    for (int p = ZC_POLICY_FAST; p < ZC_POLICY_COUNT; p++) {
        if (c->is_made[p] && c->plan[p].needed_bytes < c->plan[smallest].needed_bytes)
            smallest = p;
    }
    return (zc_policy)smallest;
}

/* Policies in the order in which they are tried where memory has no limit. */
static const zc_policy turns[] = {ZC_POLICY_FAST, ZC_POLICY_WORK, ZC_POLICY_EAGER};
enum { TURNS = sizeof turns / sizeof *turns };

/* Bytes that a plan may take, as far as the plans of the turns up to this one tell: as many as an eager runtime, which
 * holds the result at least. Where the eager plan is too large to be made, any number. */
static int64_t find_most(const candidates *c, int turn)
{
    const zc_plan *fast = &c->plan[ZC_POLICY_FAST];
    int64_t most = zc_larger(zc_larger(fast->output_bytes, fast->certain_bytes), c->eager_bytes);
    for (int i = 0; i <= turn; i++) {
        const zc_plan *plan = &c->plan[turns[i]];
        if (turns[i] == ZC_POLICY_EAGER)
            most = c->is_made[turns[i]] ? zc_larger(most, plan->needed_bytes) : INT64_MAX;
        else if (c->is_made[turns[i]])
            most = zc_larger(most, plan->eager_bytes);
    }
    return most;
}

/* Finds the first plan that will do of those up to this turn: it fits, or cannot be smaller. */
static bool find_plan(const candidates *c, int turn, bool is_limited, zc_policy *chosen)
{
    int64_t most = find_most(c, turn);
    for (int i = 0; i <= turn; i++) {
        const zc_plan *plan = &c->plan[turns[i]];
        *chosen = turns[i];
        if (c->is_made[turns[i]] && plan->needed_bytes <= most && (!is_limited || fits_or_must(plan)))
            return true;
    }
    return false;
}

/* Tells whether the policy's plan is taken where memory has no limit. */
static bool is_first_choice(const candidates *c, zc_policy policy)
{
    zc_policy first = ZC_POLICY_FAST;
    bool found = false;
    for (int turn = 0; turn < TURNS && !found; turn++)
        found = (turn == 0 || c->is_made[turns[turn]]) && find_plan(c, turn, false, &first);
    return policy == (found ? first : ZC_POLICY_FAST);
}

/* Makes plans until one will do: *chosen. */
static zc_status choose(const zc_plan_request *r, candidates *c, zc_policy *chosen)
{
    zc_status status = make_fast(r, c);
    for (int turn = 0; turn < TURNS && status == ZC_OK; turn++) {
        if (turn > 0)
            status = try_candidate(r, c, turns[turn]);
        if (status == ZC_OK && find_plan(c, turn, true, chosen))
            return ZC_OK;
    }
    if (status == ZC_OK)
        status = try_candidate(r, c, ZC_POLICY_LEAN);
    if (status != ZC_OK)
        return status;
    *chosen = find_smallest(c);
    const bool may_be_apart = !c->is_apart && c->plan[ZC_POLICY_FAST].may_be_apart;
    if (!may_be_apart || fits(&c->plan[*chosen])) /* LCOV_EXCL_BR_LINE: plans of half a GB */
        return ZC_OK;
    status = forgive(r, make_candidate(r, c, ZC_POLICY_APART));
    *chosen = find_smallest(c);
    return status;
}

/* Under a limit that has no room for as much as the executors want, asks again for what it leaves. */
static bool find_scratch(zc_plan *plan)
{
    bool found = zc_plan_make_parts(plan) && zc_plan_ask_scratch(plan, INT64_MAX);
    if (!found || zc_check_limit(plan->ctx, plan->peak_bytes, NULL) == ZC_OK)
        return found;
    plan->is_first_choice = false;
    return zc_plan_ask_scratch(plan, plan->ctx->options.memory_limit - zc_memory_usage(plan->ctx).held_bytes);
}

static zc_status make_best(const zc_plan_request *request, zc_plan *plan)
{
    candidates c;
    zc_policy chosen = ZC_POLICY_FAST;
    memset(c.is_made, 0, sizeof c.is_made);
    c.is_apart = false;
    c.eager_bytes = 0;
    zc_status status = choose(request, &c, &chosen);
    for (int p = 0; p < ZC_POLICY_COUNT; p++) {
        if (c.is_made[p] && (status != ZC_OK || p != (int)chosen))
            zc_plan_free(&c.plan[p]);
    }
    if (status != ZC_OK)
        return status;
    *plan = c.plan[chosen];
    plan->is_first_choice = is_first_choice(&c, chosen) && !plan->is_short_of_memory;
    plan->inputs.arena = &plan->arena;
    status = zc_plan_prove(plan, request->function);
    plan->arena.limit = 0; /* what running takes of it is small */
    if (status == ZC_OK && !find_scratch(plan))
        status = zc_fail_memory(plan->ctx, request->function);
    if (status != ZC_OK)
        zc_plan_free(plan);
    return status;
}

/* Plans without the nodes to buy where they leave too little room for the results. */
zc_status zc_plan_make(const zc_plan_request *request, zc_plan *plan)
{
    ZC_DEFAULT_FLOATS();
    zc_plan_request alone = *request;
    const bool had_failed = request->tensors[0]->ctx->failure.status != ZC_OK;
    zc_status status = make_best(request, plan);
    const bool is_refused = status == ZC_ERROR_BUDGET || status == ZC_ERROR_OVERFLOW;
    const bool is_too_large =
        status == ZC_OK && plan->bought_bytes > 0 && zc_check_limit(plan->ctx, plan->peak_bytes, NULL) != ZC_OK;
    if (!request->buys || !(is_refused || is_too_large))
        return status;
    if (is_refused && !had_failed)
        zc_error_clear(request->tensors[0]->ctx);
    if (!is_refused)
        zc_plan_free(plan);
    alone.buys = false;
    status = make_best(&alone, plan);
    if (status == ZC_OK)
        plan->is_first_choice = false;
    return status;
}

/* Tells one tensor that is in memory as zc_materialize() would hand it out. */
static bool is_there(const zc_plan_request *request)
{
    zc_view view;
    zc_tensor_view(request->tensors[0], &view);
    return request->count == 1 && zc_node_data(request->tensors[0]->node) != NULL && zc_view_is_dense(&view);
}

/* Says what one element takes that is computed without its plan (run/few.h). */
static void account_element(const zc_plan_request *request, zc_plan *plan)
{
    zc_scalar element;
    zc_few known;
    if (request->count != 1 || plan->stage_count == 0 ||
        !zc_compute_element(request->tensors[0], NULL, &element, &known))
        return;
    plan->peak_bytes = plan->written_bytes = plan->logical_bytes;
    plan->bought_bytes = 0;
}

zc_status zc_plan_ask(const zc_plan_request *request, zc_plan *plan)
{
    zc_node *due[ZC_PENDING_NODES];
    zc_heap *heap = request->tensors[0]->ctx->heap;
    zc_plan_request whole = *request;
    whole.due_count = is_there(request) ? 0 : zc_pending_list(heap, due);
    whole.due = due;
    const zc_status status = zc_plan_make(&whole, plan);
    if (status == ZC_OK && whole.due_count == 0)
        account_element(request, plan);
    zc_pending_end(heap, whole.due_count, due, false);
    return status;
}
