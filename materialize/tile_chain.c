/*
 * Which values of a stage are computed in chains (chain.h), and running one.
 *
 * A chain takes over a run of consecutive operations of one dtype. Each operation either continues with the tile in the
 * registers, which is one of its operands, or starts anew with a load; what is needed again later is stored, in a
 * register of one tile when only the chain reads it. Loads and constants may stand between the operations: they depend
 * on nothing and are there before the chain runs.
 */
#include "materialize/tile.h"

enum { LEAST_OPERATIONS = 2, MOST_LINKS = 64, MOST_LINKS_PER_OPERATION = 4 };

/* A chain in the making. */
typedef struct draft {
    zc_tile_program *program;
    int32_t number;  /* of the chain */
    int32_t *uses;   /* [value_count]: reads of each value that are still to come, one more for the result */
    int32_t in_tile; /* the value in the registers, or -1 */
    bool *is_stored; /* [value_count] */
    zc_tile_link *links;
    int32_t link_count;
} draft;

static const zc_chain_kernels *chains_of(const zc_tile_program *p)
{
    return p->kernels->chains;
}

/* ---- Which values ---- */

/* A step has operands of the dtype it gives. So has every operation that has steps, but for the size of a complex
 * number, which is real. */
static bool keeps_dtype(const zc_tile_program *p, const zc_value *value)
{
    for (int i = 0; i < value->arity; i++) {
        if (p->stage->values[value->arg[i]].dtype != value->dtype)
            return false;
    }
    return true;
}

static bool is_chainable(const zc_tile_program *p, int32_t v)
{
    const zc_value *value = &p->stage->values[v];
    return value->kind == ZC_VALUE_OP && value->op < ZC_OP_ROWS && !p->values[v].is_kept &&
           chains_of(p)->step[ZC_CHAIN_X][value->op][value->dtype] != NULL && keeps_dtype(p, value);
}

/* Whether a value can stand between the operations of a chain: it depends on none of them. */
static bool is_leaf(const zc_tile_program *p, int32_t v)
{
    zc_value_kind kind = (zc_value_kind)p->stage->values[v].kind;
    return kind == ZC_VALUE_LOAD || kind == ZC_VALUE_CONSTANT || kind == ZC_VALUE_INDEX || p->values[v].is_kept;
}

/* The last value of a chain that begins at v, and how many operations it has. */
static int32_t find_end(const zc_tile_program *p, int32_t v, int32_t *operations)
{
    int32_t last = v;
    *operations = 1;
    for (int32_t next = v + 1; next < p->stage->value_count; next++) {
        bool joins = is_chainable(p, next) && p->stage->values[next].dtype == p->stage->values[v].dtype;
        if ((!joins && !is_leaf(p, next)) || (*operations + 1) * MOST_LINKS_PER_OPERATION >= MOST_LINKS)
            break;
        if (joins) {
            last = next;
            (*operations)++;
        }
    }
    return last;
}

static bool is_member(const draft *d, int32_t v)
{
    return d->program->values[v].chain == d->number;
}

/* ---- Links ---- */

static void add_link(draft *d, zc_chain_function run, int32_t first, int32_t second)
{
    d->links[d->link_count++] = (zc_tile_link){run, {first, second}};
}

static void store(draft *d, int32_t v)
{
    if (!d->is_stored[v])
        add_link(d, chains_of(d->program)->store, v, -1);
    d->is_stored[v] = true;
}

/* The place of the operand that is in the registers, or of the first one, which is loaded. */
static int take_tile(draft *d, const zc_value *value)
{
    for (int i = 0; i < value->arity; i++) {
        if (value->arg[i] == d->in_tile)
            return i;
    }
    if (d->in_tile >= 0 && d->uses[d->in_tile] > 0)
        store(d, d->in_tile);
    add_link(d, chains_of(d->program)->load, value->arg[0], -1);
    return 0;
}

/* A product that an addition follows becomes one step. */
static bool fuse(draft *d, const zc_value *value, int32_t addend)
{
    const zc_chain_kernels *k = chains_of(d->program);
    zc_tile_link *before = &d->links[d->link_count - 1];
    bool is_product = before->run == k->step[ZC_CHAIN_X][ZC_OP_MULTIPLY][value->dtype] ||
                      before->run == k->step[ZC_CHAIN_Y][ZC_OP_MULTIPLY][value->dtype];
    if (value->op != ZC_OP_ADD || !is_product)
        return false;
    *before = (zc_tile_link){k->multiply_add[value->dtype], {before->value[0], addend}};
    return true;
}

static void add_operation(draft *d, int32_t v)
{
    const zc_value *value = &d->program->stage->values[v];
    int place = take_tile(d, value);
    int32_t others[2] = {-1, -1};
    int count = 0;
    for (int i = 0; i < value->arity; i++) {
        d->uses[value->arg[i]]--;
        if (i != place)
            others[count++] = value->arg[i];
    }
    int32_t tile = value->arg[place];
    bool is_read_again = d->uses[tile] > 0;
    for (int i = 0; i < count; i++)
        is_read_again |= others[i] == tile;
    if (is_member(d, tile) && is_read_again)
        store(d, tile);
    if (!fuse(d, value, others[0]))
        add_link(d, chains_of(d->program)->step[place][value->op][value->dtype], others[0], others[1]);
    d->in_tile = v;
}

/* Turns the values first .. last into a chain. */
static bool make_chain(draft *d, int32_t first, int32_t last, zc_arena *arena)
{
    zc_tile_program *p = d->program;
    d->links = zc_arena_take(arena, MOST_LINKS, sizeof *d->links);
    if (d->links == NULL)
        return false;
    d->link_count = 0;
    d->in_tile = -1;
    for (int32_t v = first; v <= last; v++) {
        if (is_chainable(p, v))
            p->values[v].chain = d->number;
    }
    for (int32_t v = first; v <= last; v++) {
        if (is_member(d, v))
            add_operation(d, v);
    }
    store(d, last);
    p->chains[p->chain_count++] = (zc_tile_chain){last, d->link_count, d->links};
    d->number++;
    return true;
}

/* ---- Small registers ---- */

/* Whether all of a tile of the nest has the same element. */
static bool is_uniform(const zc_tile_program *p, int32_t v)
{
    uint64_t axes = p->values[v].axes;
    bool moves_along_row = p->col_axis >= 0 && (axes >> p->col_axis & 1) != 0;
    bool moves_along_column = p->row_axis >= 0 && (axes >> p->row_axis & 1) != 0;
    return !moves_along_row && !moves_along_column;
}

/* Values that are needed for one tile of a chain only: uniform ones that nothing but chains and their like read, and
 * those that only their own chain reads. Users stand after what they use. */
static void find_small(zc_tile_program *p)
{
    const zc_stage *stage = p->stage;
    int32_t last = stage->value_count - 1;
    for (int32_t v = 0; v < last; v++) {
        zc_value_kind kind = (zc_value_kind)stage->values[v].kind;
        bool is_simple = kind == ZC_VALUE_LOAD || kind == ZC_VALUE_CONSTANT || kind == ZC_VALUE_OP;
        p->values[v].is_small = p->values[v].chain >= 0 || (is_simple && is_uniform(p, v));
    }
    for (int32_t u = last; u >= 0; u--) {
        const zc_value *user = &stage->values[u];
        for (int i = 0; i < user->arity; i++) {
            zc_tile_value *used = &p->values[user->arg[i]];
            bool stays_inside = p->values[u].chain >= 0 && (used->chain < 0 || used->chain == p->values[u].chain);
            bool is_alike = p->values[u].chain < 0 && p->values[u].is_small && used->chain < 0;
            used->is_small &= (stays_inside || is_alike) && used->item == p->values[u].item;
        }
    }
}

/* ---- All of it ---- */

static void count_uses(const zc_stage *stage, int32_t *uses)
{
    for (int32_t v = 0; v < stage->value_count; v++)
        uses[v] = 0;
    for (int32_t v = 0; v < stage->value_count; v++) {
        for (int i = 0; i < stage->values[v].arity; i++)
            uses[stage->values[v].arg[i]]++;
    }
    uses[stage->value_count - 1]++;
}

bool zc_tile_find_chains(zc_tile_program *p, zc_arena *arena)
{
    const int32_t count = p->stage->value_count;
    p->chain_count = 0;
    for (int32_t v = 0; v < count; v++) {
        p->values[v].chain = -1;
        p->values[v].is_small = false;
    }
    if (chains_of(p) == NULL)
        return true;
    draft d = {.program = p,
               .uses = zc_arena_take(arena, (size_t)count, sizeof *d.uses),
               .is_stored = zc_arena_take(arena, (size_t)count, sizeof *d.is_stored)};
    p->chains = zc_arena_take(arena, (size_t)count, sizeof *p->chains);
    if (d.uses == NULL || d.is_stored == NULL || p->chains == NULL)
        return false;
    count_uses(p->stage, d.uses);
    for (int32_t v = 0; v < count; v++)
        d.is_stored[v] = false;
    for (int32_t v = 0; v < count; v++) {
        int32_t operations = 0, last = is_chainable(p, v) ? find_end(p, v, &operations) : v;
        if (operations >= LEAST_OPERATIONS && !make_chain(&d, v, last, arena))
            return false;
        v = last;
    }
    find_small(p);
    return true;
}

/* ---- Running ---- */

bool zc_tile_fits_chain(const zc_tile_worker *w, const zc_tile_value *value)
{
    return w->rows * w->columns * (int64_t)value->item >= chains_of(w->program)->tile_bytes;
}

void zc_tile_run_chain(zc_tile_worker *w, const zc_tile_chain *chain, char *out)
{
    const zc_tile_program *p = w->program;
    const zc_chain_kernels *k = chains_of(p);
    zc_chain_step steps[MOST_LINKS + 1];
    for (int32_t i = 0; i < chain->link_count; i++) {
        const zc_tile_link *link = &chain->links[i];
        zc_chain_step *step = &steps[i];
        step->run = link->run;
        if (link->run == k->store) {
            bool goes_out = link->value[0] == chain->last && out != NULL;
            w->reg[link->value[0]] = goes_out ? out : w->scratch + p->values[link->value[0]].reg;
            step->run = goes_out && p->is_streamed ? k->stream : k->store;
        }
        for (int o = 0; o < 2; o++) { /* an operand that is not there is not read, but its address is made */
            const int32_t v = link->value[o];
            step->operand[o] = v < 0 ? (zc_chain_operand){w->scratch, 0}
                                     : (zc_chain_operand){w->reg[v], p->values[v].is_small ? 0 : -1};
        }
    }
    steps[chain->link_count].run = k->end;
    k->run(steps, w->rows * w->columns * (int64_t)p->values[chain->last].item);
}
