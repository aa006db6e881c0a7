/*
 * Computes any(x == values), where each x meets all values: which of the elements are among the values. The values go
 * into a table by the digits of a product (multiplicative hashing, open addressing), in which each x is looked up,
 * instead of being compared with all of them. Integers that lie close together are bits of the table, by their distance
 * from the least one.
 *
 * More values than a table holds are taken in parts, and each unit looks its elements up in one part after the other.
 */
#include <math.h>
#include <string.h>

#include "materialize/stages/reduce.h"
#include "materialize/stages/reduce_finalize.h"
#include "materialize/tile/program/store.h"
#include "materialize/tile/program/strategy.h"

/* Fewest values for which a table pays, and most in one: it has twice as many places, of 8 bytes, in the second-level
 * cache. Elements of a unit: more where there are several parts, each of which is read for every unit. */
enum { LEAST_VALUES = 32, MOST_VALUES = 1 << 16, FEW_COLUMNS = 1 << 12, MOST_COLUMNS = 1 << 16, KEYS = 512 };

/* State of the prepared strategy, at program->own. */
typedef struct member {
    int32_t wanted, values; /* loads: x, and the values that it is compared with */
    zc_dtype dtype;
    uint64_t flip;  /* makes integers with sign ascend as keys do */
    int64_t places; /* places of the table: 2^(64 - shift) */
    int shift;
} member;

/* worker->own: this, then the table, then the results of a unit. */
typedef struct member_worker {
    bool has_zero; /* key 0 is among them; in the table it means an empty place */
    bool has_bits; /* the table has a bit for each of the keys from `least` on, as far as it goes */
    uint64_t least;
    uint64_t *table;
    uint8_t *found;
} member_worker;

/* Tells whether load `x` moves along the kept axes alone, and `values` along the reduced one alone. */
static bool stand_apart(const zc_tile_program *p, const zc_value *x, const zc_value *values)
{
    bool apart = zc_tile_load_stride(p, x->access, p->kept) == 0;
    for (int axis = 0; axis < p->kept; axis++)
        apart &= zc_tile_load_stride(p, values->access, axis) == 0;
    return apart;
}

static bool find_member(const zc_tile_program *p, member *m)
{
    const zc_stage *stage = p->stage;
    const zc_value *v = stage->values;
    if (!zc_tile_is_joined(p) || zc_stage_reduced(stage)->reduction != ZC_REDUCTION_ANY || p->kept == 0 ||
        p->rank != p->kept + 1 || p->shape[p->kept] < LEAST_VALUES || stage->value_count != 3 ||
        v[0].kind != ZC_VALUE_LOAD || v[1].kind != ZC_VALUE_LOAD || v[2].op != ZC_OP_EQUAL ||
        zc_dtype_is_complex((zc_dtype)v[0].dtype))
        return false;
    const bool is_turned = stand_apart(p, &v[1], &v[0]);
    *m = (member){.wanted = is_turned, .values = !is_turned, .dtype = (zc_dtype)v[0].dtype};
    return is_turned || stand_apart(p, &v[0], &v[1]);
}

static int cost(const zc_tile_program *p)
{
    member m;
    return find_member(p, &m) ? 0 : ZC_STRATEGY_NONE;
}

static zc_preparation prepare(zc_tile_program *p, zc_arena *arena)
{
    member *own = p->own = zc_arena_take(arena, 1, sizeof *own);
    if (own == NULL)
        return ZC_NOT_PREPARED;
    (void)find_member(p, own); /* as cost() has found */
    const zc_dtype_info *info = zc_dtype_describe(own->dtype);
    own->flip = info->kind == ZC_KIND_SIGNED ? UINT64_C(1) << (8 * zc_dtype_bytes(own->dtype) - 1) : 0;
    const int64_t count = zc_smaller(p->shape[p->kept], MOST_VALUES);
    own->shift = 63;
    for (own->places = 2; own->places < 2 * count; own->shift--)
        own->places *= 2;
    const int64_t most = p->shape[p->kept] > MOST_VALUES ? MOST_COLUMNS : FEW_COLUMNS;
    p->row_axis = -1;
    p->col_axis = p->kept - 1;
    p->rows = 1;
    p->columns = p->column_step = zc_smaller(p->shape[p->col_axis], zc_smaller(most, zc_tile_fair_share(p, KEYS)));
    zc_tile_make_loops(p, p->kept);
    return ZC_PREPARED;
}

static size_t scratch_bytes(const zc_tile_program *p)
{
    const size_t table_bytes = (size_t)((const member *)p->own)->places * sizeof(uint64_t);
    return zc_align_data(sizeof(member_worker)) + zc_align_data(table_bytes) + zc_align_data((size_t)p->columns);
}

static void begin(zc_tile_worker *w)
{
    member_worker *own = (member_worker *)(void *)w->own;
    own->table = (uint64_t *)(void *)(w->own + zc_align_data(sizeof *own));
    own->found = (uint8_t *)(own->table + ((const member *)w->program->own)->places);
}

/* ---- Keys: equal elements have equal ones, and a NaN is among no values ---- */

static uint64_t read_bits(const char *from, size_t bytes)
{
    uint64_t key = 0;
    memcpy(&key, from, bytes); /* the upper bytes of a key are 0 on any machine: it is only compared */
    return key;
}

static uint64_t bits_of_scalar(zc_dtype dtype, double number)
{
    const zc_scalar element = zc_scalar_convert((zc_scalar){.float64 = number}, ZC_FLOAT64, dtype);
    return read_bits((const char *)element.bytes, zc_dtype_bytes(dtype));
}

/* Bits that also mean key 0, and whether all others mean key 1. */
typedef struct key_rule {
    uint64_t zero;
    bool is_truth;
} key_rule;

static key_rule rule_of(zc_dtype dtype)
{
    const bool is_float = zc_dtype_describe(dtype)->kind == ZC_KIND_FLOAT;
    return (key_rule){is_float ? bits_of_scalar(dtype, -0.0) : 0, dtype == ZC_BOOL};
}

static inline uint64_t key_of(key_rule rule, const char *from, size_t bytes)
{
    const uint64_t bits = read_bits(from, bytes);
    return rule.is_truth ? bits != 0 : bits == rule.zero ? 0 : bits;
}

/* Reads the keys of n elements that are `step` bytes apart. */
static void read_keys(zc_dtype dtype, const char *from, int64_t step, int64_t n, uint64_t *keys)
{
    const key_rule rule = rule_of(dtype);
    switch (zc_dtype_bytes(dtype)) {
    case 1:
        for (int64_t i = 0; i < n; i++)
            keys[i] = key_of(rule, from + i * step, 1);
        break;
    case 2:
        for (int64_t i = 0; i < n; i++)
            keys[i] = key_of(rule, from + i * step, 2);
        break;
    case 4:
        for (int64_t i = 0; i < n; i++)
            keys[i] = key_of(rule, from + i * step, 4);
        break;
    default:
        for (int64_t i = 0; i < n; i++)
            keys[i] = key_of(rule, from + i * step, 8);
    }
}

/* ---- The table ---- */

static inline size_t place_of(const member *m, uint64_t key)
{
    return (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> m->shift);
}

static void put(const member *m, member_worker *own, uint64_t key)
{
    size_t at = place_of(m, key);
    own->has_zero |= key == 0;
    while (own->table[at] != 0 && own->table[at] != key)
        at = (at + 1) & (size_t)(m->places - 1);
    own->table[at] = key;
}

static uint8_t is_there(const member *m, const member_worker *own, uint64_t key)
{
    size_t at = place_of(m, key);
    while (own->table[at] != 0 && own->table[at] != key)
        at = (at + 1) & (size_t)(m->places - 1);
    return key == 0 ? own->has_zero : own->table[at] == key;
}

/* Tells whether a key is a NaN's. */
static bool is_nan(zc_dtype dtype, uint64_t key)
{
    zc_scalar element = {.bytes = {0}};
    memcpy(element.bytes, &key, sizeof key);
    return zc_dtype_describe(dtype)->kind == ZC_KIND_FLOAT &&
           isnan(zc_scalar_convert(element, dtype, ZC_FLOAT64).float64);
}

/* Reads up to KEYS keys of values first .. end-1, and moves `first` behind them. Returns their number; 0: none is
 * left. */
static int64_t next_keys(const zc_tile_program *p, int64_t *first, int64_t end, uint64_t keys[KEYS])
{
    const member *m = p->own;
    const zc_value *load = &p->stage->values[m->values];
    const int64_t item = (int64_t)zc_dtype_bytes(m->dtype), step = zc_tile_load_stride(p, load->access, p->kept) * item;
    const char *from = p->slots[load->slot] + p->stage->offset[load->access] * item; /* proven: verified to be inside */
    const int64_t n = zc_smaller(KEYS, end - *first);
    read_keys(m->dtype, from + *first * step, step, n, keys);
    *first += n;
    return n;
}

/* Tells whether the table has a bit for each key between the least and the largest one of values first .. end-1. */
static bool find_range(const zc_tile_program *p, int64_t first, int64_t end, uint64_t *least)
{
    const member *m = p->own;
    uint64_t keys[KEYS], most = 0;
    *least = UINT64_MAX;
    if (zc_dtype_describe(m->dtype)->kind == ZC_KIND_FLOAT)
        return false;
    for (int64_t n; (n = next_keys(p, &first, end, keys)) > 0;) {
        for (int64_t i = 0; i < n; i++) {
            const uint64_t key = keys[i] ^ m->flip;
            *least = key < *least ? key : *least;
            most = key > most ? key : most;
        }
    }
    return most - *least < 64 * (uint64_t)m->places;
}

static inline uint8_t has_bit(const member *m, const member_worker *own, uint64_t key)
{
    const uint64_t at = (key ^ m->flip) - own->least, is_inside = at < 64 * (uint64_t)m->places;
    return (uint8_t)(own->table[is_inside != 0 ? at / 64 : 0] >> at % 64 & is_inside);
}

/* Makes the table of values first .. end-1. */
static void make_table(const zc_tile_worker *w, int64_t first, int64_t end)
{
    const zc_tile_program *p = w->program;
    const member *m = p->own;
    member_worker *own = (member_worker *)(void *)w->own;
    uint64_t keys[KEYS];
    memset(own->table, 0, (size_t)m->places * sizeof *own->table);
    own->has_zero = false;
    own->has_bits = find_range(p, first, end, &own->least);
    for (int64_t n; (n = next_keys(p, &first, end, keys)) > 0;) {
        for (int64_t i = 0; i < n; i++) {
            const uint64_t at = (keys[i] ^ m->flip) - own->least;
            if (own->has_bits)
                own->table[at / 64] |= UINT64_C(1) << at % 64;
            else if (!is_nan(m->dtype, keys[i]))
                put(m, own, keys[i]);
        }
    }
}

/* Adds to what was found of the worker's unit what is in the table. */
static void look_up(const zc_tile_worker *w)
{
    const zc_tile_program *p = w->program;
    const member *m = p->own;
    const zc_value *load = &p->stage->values[m->wanted];
    const member_worker *own = (const member_worker *)(const void *)w->own;
    const zc_tile_access a = zc_tile_find_access(w, load->access);
    const int64_t item = (int64_t)zc_dtype_bytes(m->dtype);
    const char *from = p->slots[load->slot] + a.at * item; /* proven: verified to be inside */
    uint64_t keys[KEYS];
    for (int64_t first = 0, n; first < w->columns; first += n) {
        n = zc_smaller(KEYS, w->columns - first);
        read_keys(m->dtype, from + first * a.col_stride * item, a.col_stride * item, n, keys);
        for (int64_t i = 0; own->has_bits && i < n; i++)
            own->found[first + i] |= has_bit(m, own, keys[i]);
        for (int64_t i = 0; !own->has_bits && i < n; i++)
            own->found[first + i] |= is_there(m, own, keys[i]);
    }
}

static void run_unit(zc_tile_worker *w)
{
    const zc_tile_program *p = w->program;
    member_worker *own = (member_worker *)(void *)w->own;
    const int64_t count = p->shape[p->kept];
    memset(own->found, 0, (size_t)w->columns);
    for (int64_t first = 0, end; first < count && !w->progress.is_stopped; first = end) {
        end = zc_smaller(first + MOST_VALUES, count);
        if (w->is_fresh || count > MOST_VALUES) /* else the table holds all values */
            make_table(w, first, end);
        w->is_fresh = false; /* nothing else here looks at it: no value is computed by tiles */
        look_up(w);
        zc_tile_count(w, w->columns * (end - first)); /* proven: not more than the domain */
    }
    zc_finalize(p->stage, own->found, NULL, own->found, w->columns);
    zc_tile_store_run(w, zc_tile_store_address(w), (const char *)own->found, zc_tile_store_stride(p, p->col_axis),
                      w->columns);
}

const zc_strategy zc_strategy_member = {.name = "member",
                                        .cost = cost,
                                        .prepare = prepare,
                                        .scratch_bytes = scratch_bytes,
                                        .begin = begin,
                                        .run_unit = run_unit};
