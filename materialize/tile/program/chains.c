#include "materialize/tile/program/chains.h"

#include <string.h>

enum { MOST_OPS_PER_OPERATION = 4 };

/* A chain in the making. */
typedef struct draft {
    zc_tile_program *program;
    int32_t number;   /* number of the chain */
    int32_t *uses;    /* [value_count]: reads of each value that are still to come, one more for the result */
    int32_t in_strip; /* the value in the registers, or -1 */
    bool *is_stored;  /* [value_count] */
    zc_chain_op *ops;
    int32_t op_count;
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
    return value->kind == ZC_VALUE_OP && value->op < ZC_OP_ROWS && !p->blocks.values[v].is_kept &&
           chains_of(p)->step[value->op][ZC_CHAIN_X][value->dtype] != NULL && keeps_dtype(p, value);
}

/* Tells whether all of a tile of the nest has the same element. */
static bool is_uniform(const zc_tile_program *p, int32_t v)
{
    uint64_t axes = p->blocks.values[v].axes;
    bool moves_along_row = p->columns > 1 && (axes >> p->col_axis & 1) != 0;
    bool moves_along_column = p->rows > 1 && (axes >> p->row_axis & 1) != 0;
    return !moves_along_row && !moves_along_column;
}

/* Tells whether a value can stand between the operations of a chain: it depends on none of them. */
static bool is_leaf(const zc_tile_program *p, int32_t v)
{
    zc_value_kind kind = (zc_value_kind)p->stage->values[v].kind;
    return kind == ZC_VALUE_LOAD || kind == ZC_VALUE_CONSTANT || kind == ZC_VALUE_INDEX || p->blocks.values[v].is_kept;
}

/* Finds the last value of a chain that begins at v, and counts its operations. */
static int32_t find_end(const zc_tile_program *p, int32_t v, int32_t *operations)
{
    int32_t last = v;
    *operations = 1;
    for (int32_t next = v + 1; next < p->stage->value_count; next++) {
        bool joins = is_chainable(p, next) && p->stage->values[next].dtype == p->stage->values[v].dtype;
        if ((!joins && !is_leaf(p, next)) || (*operations + 1) * MOST_OPS_PER_OPERATION >= ZC_TILE_CHAIN_OPS)
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
    return d->program->blocks.values[v].chain == d->number;
}

/* ---- Chain ops ---- */

static void add_op(draft *d, zc_chain_function run, int32_t first)
{
    d->ops[d->op_count++] = (zc_chain_op){run, {first, -1}, {false, false}};
}

static void store(draft *d, int32_t v)
{
    if (!d->is_stored[v])
        add_op(d, chains_of(d->program)->store, v);
    d->is_stored[v] = true;
}

/* Tells whether all elements that a chain reads of a value are the same. */
static bool is_uniform_operand(const zc_tile_program *p, int32_t v)
{
    return p->blocks.values[v].is_strip && p->blocks.values[v].chain < 0;
}

/* Returns the place of the operand that is in the registers, or else of the first one that needs to be loaded, and
 * loads that. */
static int take_strip(draft *d, const zc_value *value)
{
    for (int i = 0; i < value->arity; i++) {
        if (value->arg[i] == d->in_strip)
            return i;
    }
    if (d->in_strip >= 0 && d->uses[d->in_strip] > 0)
        store(d, d->in_strip);
    int place = 0;
    while (place + 1 < value->arity && is_uniform_operand(d->program, value->arg[place]))
        place++;
    add_op(d, chains_of(d->program)->load, value->arg[place]);
    return place;
}

/* Operands of an operation: the one at `place` is the tile, the step reads the others from memory. */
typedef struct operands {
    int place, count;
    int32_t other[2];
    bool are_uniform;
} operands;

static operands find_operands(const draft *d, const zc_value *value, int place)
{
    operands o = {.place = place, .other = {-1, -1}, .are_uniform = true};
    bool is_both = value->arity == 2 && value->arg[0] == value->arg[1];
    for (int i = 0; i < value->arity && !is_both; i++) {
        if (i == place)
            continue;
        o.are_uniform &= is_uniform_operand(d->program, value->arg[i]);
        o.other[o.count++] = value->arg[i];
    }
    return o;
}

static zc_chain_op op_of(const draft *d, const zc_value *value, const operands *o)
{
    static const zc_chain_form uniform_forms[] = {ZC_CHAIN_X_UNIFORM, ZC_CHAIN_Y_UNIFORM, ZC_CHAIN_Z};
    const zc_chain_function(*steps)[ZC_DTYPE_COUNT] = chains_of(d->program)->step[value->op];
    zc_chain_op op = {steps[o->place][value->dtype], {o->other[0], o->other[1]}, {false, false}};
    if (value->arity == 2 && o->count == 0)
        op.run = steps[ZC_CHAIN_BOTH][value->dtype];
    zc_chain_function uniform = steps[uniform_forms[o->place]][value->dtype];
    if (o->count > 0 && o->are_uniform && o->place < ZC_CHAIN_Z && uniform != NULL)
        op = (zc_chain_op){uniform, {o->other[0], o->other[1]}, {true, o->count > 1}};
    return op;
}

/* Tells whether a step multiplies the tile, and finds its factor. */
static bool find_factor(const zc_chain_kernels *k, zc_chain_function run, zc_dtype dtype, zc_chain_factor *factor)
{
    static const zc_chain_factor by_form[ZC_CHAIN_FORMS] = {[ZC_CHAIN_X] = ZC_FACTOR_MEMORY,
                                                            [ZC_CHAIN_Y] = ZC_FACTOR_MEMORY,
                                                            [ZC_CHAIN_X_UNIFORM] = ZC_FACTOR_UNIFORM,
                                                            [ZC_CHAIN_Y_UNIFORM] = ZC_FACTOR_UNIFORM,
                                                            [ZC_CHAIN_BOTH] = ZC_FACTOR_SELF};
    *factor = ZC_FACTOR_SELF;
    if (run == k->step[ZC_OP_SQUARE][ZC_CHAIN_X][dtype])
        return true;
    for (int form = 0; form < ZC_CHAIN_FORMS; form++) {
        *factor = by_form[form];
        if (form != ZC_CHAIN_Z && run == k->step[ZC_OP_MULTIPLY][form][dtype])
            return true;
    }
    return false;
}

/* Fuses a product and the addition that follows it into one step. */
static bool fuse(draft *d, const zc_value *value, const operands *o)
{
    const zc_chain_kernels *k = chains_of(d->program);
    zc_chain_op *before = &d->ops[d->op_count - 1];
    zc_chain_factor factor;
    if (value->op != ZC_OP_ADD || o->count == 0 || !find_factor(k, before->run, (zc_dtype)value->dtype, &factor))
        return false;
    *before = (zc_chain_op){k->multiply_add[factor][o->are_uniform][value->dtype],
                            {before->value[0], o->other[0]},
                            {factor == ZC_FACTOR_UNIFORM, o->are_uniform}};
    return true;
}

static void add_operation(draft *d, int32_t v)
{
    const zc_value *value = &d->program->stage->values[v];
    operands o = find_operands(d, value, take_strip(d, value));
    for (int i = 0; i < value->arity; i++)
        d->uses[value->arg[i]]--;
    int32_t tile = value->arg[o.place];
    bool is_read_again = d->uses[tile] > 0;
    for (int i = 0; i < o.count; i++)
        is_read_again |= o.other[i] == tile;
    if (is_member(d, tile) && is_read_again)
        store(d, tile);
    if (!fuse(d, value, &o))
        d->ops[d->op_count++] = op_of(d, value, &o);
    d->in_strip = v;
}

/* Makes the ops of a chain from its operations, from `first` on. */
static bool make_chain(draft *d, int32_t first, zc_arena *arena)
{
    zc_tile_program *p = d->program;
    const int32_t last = p->blocks.chains[d->number].last;
    d->ops = zc_arena_take(arena, ZC_TILE_CHAIN_OPS, sizeof *d->ops);
    if (d->ops == NULL)
        return false;
    d->op_count = 0;
    d->in_strip = -1;
    for (int32_t v = first; v <= last; v++) {
        if (is_member(d, v))
            add_operation(d, v);
    }
    store(d, last);
    p->blocks.chains[d->number] = (zc_tile_chain){last, d->op_count, d->ops};
    return true;
}

/* ---- Strips ---- */

/* Finds values that are needed for one tile of a chain only: uniform ones that nothing but chains and their like read,
 * and those that only their own chain reads. Users stand after what they use. */
static void find_strips(zc_tile_program *p)
{
    const zc_stage *stage = p->stage;
    int32_t last = stage->value_count - 1;
    int count;
    for (int32_t v = 0; v < last; v++) {
        zc_value_kind kind = (zc_value_kind)stage->values[v].kind;
        bool is_simple = kind == ZC_VALUE_LOAD || kind == ZC_VALUE_CONSTANT || kind == ZC_VALUE_OP;
        p->blocks.values[v].is_strip = p->blocks.values[v].chain >= 0 || (is_simple && is_uniform(p, v));
    }
    const int32_t *besides = zc_stage_besides(stage, &count);
    for (int i = 0; i < count; i++)
        p->blocks.values[besides[i]].is_strip = false; /* all of a tile is read */
    for (int32_t u = last; u >= 0; u--) {
        const zc_value *user = &stage->values[u];
        for (int i = 0; i < user->arity; i++) {
            zc_tile_value *used = &p->blocks.values[user->arg[i]];
            bool stays_inside =
                p->blocks.values[u].chain >= 0 && (used->chain < 0 || used->chain == p->blocks.values[u].chain);
            bool is_alike = p->blocks.values[u].chain < 0 && p->blocks.values[u].is_strip && used->chain < 0;
            used->is_strip &= (stays_inside || is_alike) && used->item == p->blocks.values[u].item;
        }
    }
}

/* Finds the uniform loads and constants of which all steps read a single element. */
static void find_single(zc_tile_program *p)
{
    const zc_stage *stage = p->stage;
    for (int32_t v = 0; v < stage->value_count; v++) {
        zc_value_kind kind = (zc_value_kind)stage->values[v].kind;
        p->blocks.values[v].is_single =
            is_uniform_operand(p, v) && (kind == ZC_VALUE_LOAD || kind == ZC_VALUE_CONSTANT);
    }
    for (int32_t u = 0; u < stage->value_count; u++) {
        for (int i = 0; i < stage->values[u].arity && p->blocks.values[u].chain < 0; i++)
            p->blocks.values[stage->values[u].arg[i]].is_single = false;
    }
    for (int32_t c = 0; c < p->blocks.chain_count; c++) {
        for (int32_t i = 0; i < 2 * p->blocks.chains[c].op_count; i++) {
            const zc_chain_op *op = &p->blocks.chains[c].ops[i / 2];
            if (op->value[i % 2] >= 0 && !op->is_uniform[i % 2])
                p->blocks.values[op->value[i % 2]].is_single = false;
        }
    }
}

/* ---- All of it ---- */

static void count_uses(const zc_stage *stage, int32_t *uses)
{
    int count;
    for (int32_t v = 0; v < stage->value_count; v++)
        uses[v] = 0;
    for (int32_t v = 0; v < stage->value_count; v++) {
        for (int i = 0; i < stage->values[v].arity; i++)
            uses[stage->values[v].arg[i]]++;
    }
    uses[stage->value_count - 1]++;
    const int32_t *besides = zc_stage_besides(stage, &count);
    for (int i = 0; i < count; i++)
        uses[besides[i]]++;
}

/* Tells whether one step reads an operand that the operation's kernel would need spread over a register. */
static bool has_uniform_load(const zc_tile_program *p, int32_t v)
{
    const zc_value *value = &p->stage->values[v];
    for (int i = 0; i < value->arity && value->arity == 2; i++) {
        zc_value_kind kind = (zc_value_kind)p->stage->values[value->arg[i]].kind;
        if ((kind == ZC_VALUE_LOAD || kind == ZC_VALUE_CONSTANT) && is_uniform(p, value->arg[i]))
            return true;
    }
    return false;
}

/* Finds the chain of each value, and the end of each chain. A single operation has a kernel of its own, but only chains
 * store past the caches what they compute. */
static void find_members(zc_tile_program *p)
{
    p->blocks.chain_count = 0;
    for (int32_t v = 0; v < p->stage->value_count; v++) {
        int32_t operations = 0, last = is_chainable(p, v) ? find_end(p, v, &operations) : v;
        bool is_chain = operations > 1 || (operations == 1 && (p->is_streamed || has_uniform_load(p, v)));
        for (int32_t member = v; member <= last; member++)
            p->blocks.values[member].chain = is_chain && is_chainable(p, member) ? p->blocks.chain_count : -1;
        if (is_chain)
            p->blocks.chains[p->blocks.chain_count++].last = last;
        v = last;
    }
}

/* Makes every chain's ops. Those of the next one begin behind the last value of the one before. */
static bool make_chains(zc_tile_program *p, zc_arena *arena)
{
    const int32_t count = p->stage->value_count;
    draft d = {.program = p,
               .uses = zc_arena_take(arena, (size_t)count, sizeof *d.uses),
               .is_stored = zc_arena_take(arena, (size_t)count, sizeof *d.is_stored)};
    if (d.uses == NULL || d.is_stored == NULL)
        return false;
    count_uses(p->stage, d.uses);
    memset(d.is_stored, 0, (size_t)count * sizeof *d.is_stored);
    for (int32_t first = 0; d.number < p->blocks.chain_count; first = p->blocks.chains[d.number++].last + 1) {
        if (!make_chain(&d, first, arena))
            return false;
    }
    return true;
}

bool zc_tile_find_chains(zc_tile_program *p, zc_arena *arena)
{
    if (chains_of(p) == NULL)
        return true;
    p->blocks.chains = zc_arena_take(arena, (size_t)p->stage->value_count, sizeof *p->blocks.chains);
    if (p->blocks.chains == NULL)
        return false;
    find_members(p);
    if (p->blocks.chain_count == 0) /* then nothing is needed for a chain's tile */
        return true;
    find_strips(p);
    if (!make_chains(p, arena))
        return false;
    find_single(p);
    return true;
}

/* ---- Running ---- */

bool zc_tile_fits_chain(const zc_tile_worker *w, const zc_tile_value *value)
{
    return w->rows * w->columns * (int64_t)value->item >= chains_of(w->program)->tile_bytes;
}

static zc_chain_step step_of(zc_tile_worker *w, const zc_tile_chain *chain, const zc_chain_op *op, char *out)
{
    const zc_tile_program *p = w->program;
    const zc_chain_kernels *k = chains_of(p);
    zc_chain_step step = {.run = op->run};
    if (op->run == k->store) {
        bool goes_out = op->value[0] == chain->last && out != NULL;
        w->block[op->value[0]] = goes_out ? out : w->scratch + p->blocks.values[op->value[0]].block;
        step.run = goes_out && p->is_streamed ? k->stream : k->store;
    }
    for (int o = 0; o < 2; o++) { /* an operand that is not there is not read, but its address is made */
        const int32_t v = op->value[o];
        step.operand[o] = v < 0 ? (zc_chain_operand){w->scratch, 0}
                                : (zc_chain_operand){w->block[v], p->blocks.values[v].is_strip ? 0 : -1};
    }
    return step;
}

void zc_tile_bind_chain(zc_tile_worker *w, const zc_tile_chain *chain, char *out, zc_chain_step *steps)
{
    for (int32_t i = 0; i < chain->op_count; i++)
        steps[i] = step_of(w, chain, &chain->ops[i], out);
    steps[chain->op_count].run = chains_of(w->program)->end;
}

void zc_tile_run_chain(zc_tile_worker *w, const zc_tile_chain *chain, char *out)
{
    const zc_tile_program *p = w->program;
    zc_chain_step steps[ZC_TILE_CHAIN_OPS + 1];
    zc_tile_bind_chain(w, chain, out, steps);
    chains_of(p)->run(steps, w->rows * w->columns * (int64_t)p->blocks.values[chain->last].item);
}
