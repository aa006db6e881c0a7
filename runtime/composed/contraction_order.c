#include "runtime/composed/contraction_order.h"

#include "views/shape.h"

/* Up to so many factors every order is compared; of more, but not more than COMPARED, every pair. */
enum { EXHAUSTIVE = 6, COMPARED = 64 };

/* Factors in the making. Letters that are summed over and belong to one factor alone are not among its axes. */
typedef struct ordering {
    const zc_contraction *c;
    uint64_t alone;        /* those letters */
    int uses[ZC_MAX_RANK]; /* how many factors have an axis that is summed over */
    int count;             /* factors that are left, of those compared: */
    int place[COMPARED];   /* where they stand, in order, */
    uint64_t axes[COMPARED];
    zc_contract_pair *next; /* to write */
} ordering;

/* Cost of contracting in one order: products of all contractions, and elements of the largest result. */
typedef struct way {
    int64_t products, largest;
} way;

/* ---- Counting, up to 2^63 - 1 ---- */

static int64_t count_product(const zc_contraction *c, uint64_t axes)
{
    int64_t product = 1;
    bool is_over = false;
    for (; axes != 0; axes &= axes - 1) {
        int64_t extent = c->shape[__builtin_ctzll(axes)];
        if (extent == 0)
            return 0;
        is_over = is_over || !zc_checked_multiply(product, extent, &product);
    }
    return is_over ? INT64_MAX : product;
}

static bool is_less(way a, way b)
{
    return a.products != b.products ? a.products < b.products : a.largest < b.largest;
}

/* ---- Pairs ---- */

static uint64_t summed_axes(const zc_contraction *c)
{
    return zc_all_axes(c->rank) & ~zc_all_axes(c->kept);
}

/* The letters that are summed over when these two are contracted: of no other factor. */
static uint64_t summed_by(const ordering *o, uint64_t left, uint64_t right)
{
    uint64_t summed = 0;
    for (int a = o->c->kept; a < o->c->rank; a++) {
        if (o->uses[a] == (int)(left >> a & 1) + (int)(right >> a & 1))
            summed |= UINT64_C(1) << a;
    }
    return summed;
}

/* Writes a pair. Returns the axes of its product. */
static uint64_t write_pair(ordering *o, int left, int right, uint64_t left_axes, uint64_t right_axes)
{
    const uint64_t summed = summed_by(o, left_axes, right_axes);
    for (int a = o->c->kept; a < o->c->rank; a++)
        o->uses[a] -= (int)((left_axes & right_axes) >> a & 1);
    *o->next++ = (zc_contract_pair){left, right, summed | o->alone};
    return (left_axes | right_axes) & ~summed;
}

/* ---- More than EXHAUSTIVE factors ---- */

/* Contracts the pair with the fewest products, of those the one with the smaller result, of those the first one. */
static void contract_cheapest(ordering *o)
{
    way least = {INT64_MAX, INT64_MAX};
    int left = 0, right = 1;
    for (int i = 0; i < o->count; i++) {
        for (int j = i + 1; j < o->count; j++) {
            const uint64_t axes = o->axes[i] | o->axes[j];
            const way pair = {count_product(o->c, axes),
                              count_product(o->c, axes & ~summed_by(o, o->axes[i], o->axes[j]))};
            if (!is_less(pair, least))
                continue;
            least = pair;
            left = i;
            right = j;
        }
    }
    o->axes[left] = write_pair(o, o->place[left], o->place[right], o->axes[left], o->axes[right]);
    o->count--;
    for (int i = right; i < o->count; i++) {
        o->place[i] = o->place[i + 1];
        o->axes[i] = o->axes[i + 1];
    }
}

/* ---- Up to EXHAUSTIVE factors ---- */

/* Sets of factors are numbers, the first factor the highest bit. */
enum { SETS = 1 << EXHAUSTIVE };

typedef struct ways {
    uint64_t axes[SETS]; /* of the set's product */
    way best[SETS];
    unsigned right[SETS]; /* the part of the best way without the set's first factor; 0 of a single one */
} ways;

static unsigned highest(unsigned set)
{
    return 31 - (unsigned)__builtin_clz(set);
}

/* The axes that the product of a set has: those that are kept, and those that a factor outside has. */
static uint64_t axes_of_set(const ordering *o, unsigned set)
{
    uint64_t inside = 0, outside = 0;
    for (int i = 0; i < o->count; i++)
        *((set >> (o->count - 1 - i) & 1) != 0 ? &inside : &outside) |= o->axes[i];
    return inside & ~(summed_axes(o->c) & ~outside);
}

/* The best way to divide a set in two: each part in its best way. Of equal ones the first, by the number of the part
 * without the set's first factor. */
static void divide_set(const zc_contraction *c, ways *w, unsigned set)
{
    const unsigned others = set ^ 1U << highest(set);
    const int64_t result = count_product(c, w->axes[set]);
    w->best[set] = (way){0, 0};
    w->right[set] = 0;
    for (unsigned right = -others & others; right != 0; right = (right - others) & others) {
        const way *a = &w->best[set ^ right], *b = &w->best[right];
        const int64_t parts = zc_saturating_add(a->products, b->products);
        const int64_t own = count_product(c, w->axes[set ^ right] | w->axes[right]);
        const way both = {zc_saturating_add(parts, own), zc_larger(result, zc_larger(a->largest, b->largest))};
        if (w->right[set] != 0 && !is_less(both, w->best[set]))
            continue;
        w->best[set] = both;
        w->right[set] = right;
    }
}

static void contract_best(ordering *o)
{
    ways w;
    const unsigned all = (1U << o->count) - 1;
    bool is_used[SETS] = {false};
    uint64_t axes[SETS];
    for (unsigned set = 1; set <= all; set++) {
        w.axes[set] = axes_of_set(o, set);
        divide_set(o->c, &w, set);
    }
    is_used[all] = true;
    for (unsigned set = all; set > 0; set--) {
        is_used[w.right[set]] |= is_used[set];
        is_used[set ^ w.right[set]] |= is_used[set];
    }
    for (unsigned set = 1; set <= all; set++) { /* parts before what is made of them */
        const unsigned right = w.right[set], left = set ^ right;
        const int first = o->count - 1 - (int)highest(left);
        if (right == 0)
            axes[set] = o->axes[first];
        else if (is_used[set])
            axes[set] =
                write_pair(o, o->place[first], o->place[o->count - 1 - (int)highest(right)], axes[left], axes[right]);
    }
}

/* ---- The whole ---- */

static void count_uses(ordering *o, int count, const zc_factor *factors)
{
    for (int i = 0; i < count; i++) {
        for (uint64_t axes = factors[i].axes; axes != 0; axes &= axes - 1)
            o->uses[__builtin_ctzll(axes)]++;
    }
    for (int a = o->c->kept; a < o->c->rank; a++)
        o->alone |= (uint64_t)(o->uses[a] == 1) << a;
}

void zc_contraction_order(const zc_contraction *c, int count, const zc_factor *factors, zc_contract_pair *pairs)
{
    ordering o = {.c = c, .next = pairs};
    count_uses(&o, count, factors);
    const int first = count > COMPARED ? count - COMPARED + 1 : 1; /* that is not contracted with those before it */
    o.axes[o.count++] = factors[0].axes & ~o.alone;
    for (int i = 1; i < first; i++)
        o.axes[0] = write_pair(&o, 0, i, o.axes[0], factors[i].axes & ~o.alone);
    for (int i = first; i < count; i++) {
        o.place[o.count] = i;
        o.axes[o.count++] = factors[i].axes & ~o.alone;
    }
    while (o.count > EXHAUSTIVE)
        contract_cheapest(&o);
    contract_best(&o);
}
