/*
 * Views over storages of up to 2^63 - 1 elements that nobody allocates: extents, strides and offsets at the ends of
 * int64, judged in 128 bits.
 *
 * Formula: address(view after a chain of calls, i) = address(base, the index i pulled back through the chain), for the
 * corners and random indices; and every address lies inside the storage.
 */
#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "tests/views/chain.h"
#include "views/compose.h"

#include <string.h>

enum { CHAINS = 5000, STEPS = 8, RANK = 5, SAMPLES = 24 };

static const chain_limits huge = {.rank = 7, .extent = (int64_t)1 << 40, .size = INT64_MAX, .huge = true};

/* A base view, and the calls that led from it to `view`. */
typedef struct trail {
    int rank; /* of the base */
    int64_t shape[ZC_MAX_RANK];
    int64_t stride[ZC_MAX_RANK];
    wide offset;
    int64_t storage;
    int count;
    view_call calls[STEPS];
    index_map maps[STEPS];
    zc_view view;
} trail;

static int rank_now(const trail *t)
{
    return t->count == 0 ? t->rank : t->maps[t->count - 1].rank;
}

static const int64_t *shape_now(const trail *t)
{
    return t->count == 0 ? t->shape : t->maps[t->count - 1].shape;
}

/* as_strided counts from the first element of what it is given, so an index ends there. */
static wide address_of(const trail *t, const int64_t *at)
{
    int64_t here[ZC_MAX_RANK] = {0};
    int64_t from[ZC_MAX_RANK];
    wide beyond = 0;
    memcpy(here, at, (size_t)rank_now(t) * sizeof *at);
    for (int i = t->count - 1; i >= 0; i--) {
        const index_map *map = &t->maps[i];
        if (map->made_by->kind == CALL_AS_STRIDED) {
            beyond += oracle_address(map->rank, map->made_by->stride, map->made_by->start, here);
            memset(here, 0, sizeof here);
            continue;
        }
        oracle_pull(map, here, from);
        memcpy(here, from, (size_t)map->rank_in * sizeof *from);
    }
    return oracle_address(t->rank, t->stride, t->offset, here) + beyond;
}

/* Corner `mask`: the last index along the axes in it. */
static void corner(int rank, const int64_t *shape, int mask, int64_t *at)
{
    for (int a = 0; a < rank; a++)
        at[a] = (mask >> a & 1) != 0 ? shape[a] - 1 : 0;
}

static void draw_index(int rank, const int64_t *shape, int64_t *at)
{
    corner(rank, shape, (int)zc_random_range(0, 255), at);
    for (int a = 0; a < rank; a++)
        if (zc_random_bool())
            at[a] = zc_random_bool() && shape[a] > 2 ? zc_random_range(0, 2) : zc_random_range(0, shape[a] - 1);
}

/* An address is affine in the index, so its extremes are at corners. */
static void find_extremes(const trail *t, wide *lowest, wide *highest)
{
    int64_t at[ZC_MAX_RANK];
    corner(rank_now(t), shape_now(t), 0, at);
    *lowest = *highest = address_of(t, at);
    for (int mask = 1; mask < 1 << rank_now(t); mask++) {
        corner(rank_now(t), shape_now(t), mask, at);
        wide address = address_of(t, at);
        *lowest = address < *lowest ? address : *lowest;
        *highest = address > *highest ? address : *highest;
    }
}

/* Tells whether the strides of as_strided stay within the addresses that the trail reaches. */
static bool stays_within(const trail *t, const index_map *map)
{
    if (oracle_size(map->rank, map->shape) == 0)
        return true;
    if (oracle_size(rank_now(t), shape_now(t)) == 0)
        return false;
    int64_t at[ZC_MAX_RANK] = {0};
    wide lowest;
    wide highest;
    find_extremes(t, &lowest, &highest);
    wide low;
    wide high;
    low = high = address_of(t, at) + map->made_by->start;
    for (int a = 0; a < map->rank; a++) {
        wide reach = (wide)(map->shape[a] - 1) * map->made_by->stride[a];
        *(reach < 0 ? &low : &high) += reach;
    }
    return low >= lowest && high <= highest;
}

static void check_trail(const trail *t, const char *text)
{
    int64_t at[ZC_MAX_RANK];
    const zc_view *v = &t->view;
    cr_assert(zc_shape_equal(v->rank, v->shape, rank_now(t), shape_now(t)), "%s: another shape", text);
    if (oracle_size(v->rank, v->shape) == 0) {
        for (int a = 0; a < v->rank; a++)
            cr_assert_eq(v->stride[a], 0, "%s", text);
        cr_assert_eq(v->offset, 0, "%s", text);
        return;
    }
    for (int i = 0; i < SAMPLES; i++) {
        draw_index(v->rank, v->shape, at);
        wide address = oracle_address(v->rank, v->stride, v->offset, at);
        cr_assert(address == address_of(t, at), "%s: another element", text);
        cr_assert(address >= 0 && address < t->storage, "%s: outside the storage", text);
    }
}

static int64_t draw_storage(void)
{
    static const int64_t sizes[] = {INT64_MAX,        INT64_MAX - 1,         INT64_C(1) << 62, (INT64_C(1) << 62) + 1,
                                    INT64_C(1) << 32, (INT64_C(1) << 31) - 1};
    int count = (int)(sizeof sizes / sizeof *sizes);
    int i = (int)zc_random_range(0, count);
    return i < count ? sizes[i] : zc_random_range(1, INT64_MAX);
}

/* Shares the storage out among axes: what an axis reaches, and how many steps it takes to get there. */
static void begin_strided(trail *t)
{
    memset(t, 0, offsetof(trail, calls));
    t->storage = draw_storage();
    t->rank = (int)zc_random_range(0, RANK);
    int64_t rest = t->storage - 1;
    wide lowest = 0;
    wide size = 1;
    for (int a = 0; a < t->rank; a++) {
        int64_t reach = zc_random_range(0, rest) >> (zc_random_bool() ? 0 : zc_random_range(0, 40));
        wide room = INT64_MAX / size;
        wide most = zc_random_range(0, 4) == 0 ? room : reach + (wide)1;
        most = most > room ? room : most;
        t->shape[a] = 1 + (zc_random_range(0, (int64_t)most - 1) >> zc_random_range(0, 62));
        int64_t step = t->shape[a] == 1 ? zc_random_range(0, INT64_MAX) : reach / (t->shape[a] - 1);
        t->stride[a] = zc_random_bool() ? -step : step;
        size *= t->shape[a];
        reach = t->shape[a] == 1 ? 0 : (t->shape[a] - 1) * step;
        lowest -= t->stride[a] < 0 ? reach : 0;
        rest -= reach;
    }
    int64_t spare = zc_random_bool() ? rest : zc_random_range(0, rest);
    t->offset = spare - lowest;
    cr_assert_eq(zc_view_prove(t->rank, t->shape, t->stride, (int64_t)t->offset, t->storage, &t->view, NULL), ZC_OK);
    int64_t highest = spare + (t->storage - 1 - rest);
    zc_view none;
    cr_assert_neq(zc_view_prove(t->rank, t->shape, t->stride, (int64_t)t->offset, highest, &none, NULL), ZC_OK);
    cr_assert_neq(zc_view_prove(t->rank, t->shape, t->stride, (int64_t)t->offset - spare - 1, t->storage, &none, NULL),
                  ZC_OK);
}

static void begin_row_major(trail *t, int rank, const int64_t *shape)
{
    memset(t, 0, offsetof(trail, calls));
    t->rank = rank;
    t->storage = (int64_t)oracle_size(rank, shape);
    wide step = 1;
    for (int a = rank - 1; a >= 0; a--) {
        t->shape[a] = shape[a];
        t->stride[a] = (int64_t)step;
        step *= shape[a];
    }
    t->count = 0;
    zc_view_row_major(rank, shape, &t->view);
}

static void advance(trail *t, bool composable_only)
{
    char text[600];
    zc_view result;
    zc_reason why;
    bool affine = true;
    view_call *c = &t->calls[t->count];
    index_map *map = &t->maps[t->count];
    call_kind kind = (call_kind)zc_random_range(0, composable_only ? CALL_AS_STRIDED - 1 : CALL_KINDS - 1);
    chain_draw(kind, rank_now(t), shape_now(t), &huge, c);
    chain_text(c, rank_now(t), shape_now(t), text, sizeof text);
    bool accepted = oracle_map(c, rank_now(t), shape_now(t), map) && (kind != CALL_AS_STRIDED || stays_within(t, map));
    zc_status status = chain_call(c, &t->view, &affine, &result, &why);
    cr_assert_eq(accepted, status == ZC_OK, "%s: %s", text, accepted ? why.text : "accepted");
    if (!accepted)
        return;
    zc_view_copy(&result, &t->view);
    t->count++;
    if (!affine)
        begin_row_major(t, result.rank, result.shape);
    check_trail(t, text);
}

Test(virtual, chains_over_huge_storages_reach_the_right_elements)
{
    zc_random_begin("huge chains");
    for (int chain = 0; chain < CHAINS * zc_test_scale(); chain++) {
        trail t;
        begin_strided(&t);
        for (int i = 0; i < STEPS; i++)
            advance(&t, false);
    }
}

/* The composition of two trails, at random indices. False when it was refused. */
static bool compose_trails(const trail *inner, const trail *outer)
{
    zc_view composed;
    int64_t at[ZC_MAX_RANK];
    int64_t middle[ZC_MAX_RANK];
    const zc_view *v = &outer->view;
    if (!zc_view_compose(&inner->view, v, &composed))
        return false;
    cr_assert(zc_shape_equal(v->rank, v->shape, composed.rank, composed.shape));
    for (int i = 0; i < SAMPLES && oracle_size(v->rank, v->shape) > 0; i++) {
        draw_index(v->rank, v->shape, at);
        oracle_unravel((int64_t)oracle_address(v->rank, v->stride, v->offset, at), inner->view.rank, inner->view.shape,
                       middle);
        wide expected = oracle_address(inner->view.rank, inner->view.stride, inner->view.offset, middle);
        cr_assert(oracle_address(composed.rank, composed.stride, composed.offset, at) == expected);
    }
    return true;
}

Test(virtual, huge_halves_compose)
{
    zc_random_begin("huge halves");
    int cuts = 0;
    for (int chain = 0; chain < CHAINS * zc_test_scale(); chain++) {
        trail inner;
        trail outer;
        begin_strided(&inner);
        for (int i = 0; i < STEPS / 2; i++)
            advance(&inner, false);
        begin_row_major(&outer, inner.view.rank, inner.view.shape);
        bool without_reshape = zc_random_bool();
        for (int i = 0; i < STEPS / 2; i++)
            advance(&outer, without_reshape);
        if (outer.storage != zc_view_size(&inner.view))
            continue;
        bool composed = compose_trails(&inner, &outer);
        cr_assert(composed || !without_reshape, "only a reshape can be in the way");
        cuts += !composed;
    }
    cr_log_info("%d of %d compositions were cut", cuts, CHAINS * zc_test_scale());
}
