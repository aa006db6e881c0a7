/*
 * The order in which einsum contracts several operands, against its definition (docs/numerics.md) written out: of
 * random notations every bit of the result, and that no other order has fewer products; then what the order is for.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/api/values.h"
#include "tests/support/random.h"

enum { LETTERS = 6, MOST = 80, EXHAUSTIVE = 6, COMPARED = 64, ROUNDS = 400 };

#define EINSUM(b, text, ...) zc_einsum((b).ctx, text, TENSORS(__VA_ARGS__))

/* ---- Factors in memory: elements over the letters of a bit set, in the order of the alphabet ---- */

typedef struct factor {
    unsigned letters;
    double *values;
} factor;

/* A notation: what is summed over, extents, and the factors, which are contracted one after the other. */
typedef struct problem {
    int64_t extent[LETTERS];
    unsigned kept;
    int count, operands;
    factor factors[MOST];
    char text[8 * MOST];
    const zc_tensor *tensors[MOST];
} problem;

static int64_t size_of(const problem *p, unsigned letters)
{
    int64_t size = 1;
    for (int l = 0; l < LETTERS; l++)
        size *= (letters >> l & 1) != 0 ? p->extent[l] : 1;
    return size;
}

/* Place in a factor over `letters` of the element that is `index` of one over `all`. */
static int64_t element_at(const problem *p, unsigned letters, unsigned all, int64_t index)
{
    int64_t at = 0, step = 1;
    for (int l = LETTERS - 1; l >= 0; l--) {
        if ((all >> l & 1) == 0)
            continue;
        if ((letters >> l & 1) != 0) {
            at += index % p->extent[l] * step;
            step *= p->extent[l];
        }
        index /= p->extent[l];
    }
    return at;
}

static unsigned used_by_others(const problem *p, int i, int j)
{
    unsigned letters = p->kept;
    for (int k = 0; k < p->count; k++)
        letters |= k != i && k != j ? p->factors[k].letters : 0;
    return letters;
}

/* A sum of up to 1024 elements: by sixteen lanes, whose upper half joins the lower one. */
static double add_in_lanes(const double *values, int64_t n)
{
    double lanes[16];
    for (int i = 0; i < 16; i++)
        lanes[i] = -0.0;
    for (int64_t i = 0; i < n; i++)
        lanes[i % 16] += values[i];
    for (int half = 8; half > 0; half /= 2) {
        for (int i = 0; i < half; i++)
            lanes[i] += lanes[i + half];
    }
    return n == 0 ? 0 : lanes[0];
}

/* Up to 4096 products, by chains of 256. */
static double add_in_chains(const double *x, const double *y, int64_t n)
{
    double sum = 0, chain = 0;
    for (int64_t i = 0; i < n; i++) {
        chain = i % 256 == 0 ? x[i] * y[i] : fma(x[i], y[i], chain);
        if (i + 1 == n || i % 256 == 255)
            sum = i < 256 ? chain : sum + chain;
    }
    return sum;
}

/* x and y over `kept` and the letters of one of them besides, summed over these; y NULL: x alone. */
static factor join(const problem *p, const factor *x, const factor *y, unsigned kept)
{
    static double left[4096], right[4096];
    const unsigned all = x->letters | (y != NULL ? y->letters : 0), summed = all & ~kept;
    factor f = {all & kept, malloc((size_t)(size_of(p, all & kept) + 1) * sizeof *f.values)};
    const int64_t products = size_of(p, summed);
    for (int64_t i = 0; i < size_of(p, f.letters); i++) {
        int64_t n = 0;
        for (int64_t at = 0; at < size_of(p, all); at++) {
            if (element_at(p, f.letters, all, at) != i)
                continue;
            left[n] = x->values[element_at(p, x->letters, all, at)];
            right[n++] = y != NULL ? y->values[element_at(p, y->letters, all, at)] : 1;
        }
        cr_assert_eq(n, products);
        f.values[i] = y == NULL     ? add_in_lanes(left, n)
                      : summed == 0 ? left[0] * right[0]
                                    : add_in_chains(left, right, n);
    }
    return f;
}

/* Contracts factors i and j, i < j; the product stands at i. */
static void contract(problem *p, int i, int j)
{
    const factor product = join(p, &p->factors[i], &p->factors[j], used_by_others(p, i, j));
    free(p->factors[i].values);
    free(p->factors[j].values);
    p->factors[i] = product;
    p->count--;
    for (int k = j; k < p->count; k++)
        p->factors[k] = p->factors[k + 1];
}

static void sum_letters_of_one(problem *p)
{
    for (int i = 0; i < p->count; i++) {
        const unsigned others = used_by_others(p, i, i);
        if ((p->factors[i].letters & ~others) == 0)
            continue;
        const factor sum = join(p, &p->factors[i], NULL, others);
        free(p->factors[i].values);
        p->factors[i] = sum;
    }
}

/* ---- The definition of the order ---- */

typedef struct cost {
    int64_t products, largest;
} cost;

static cost add_cost(cost a, cost b)
{
    return (cost){a.products + b.products, a.largest > b.largest ? a.largest : b.largest};
}

static bool is_less(cost a, cost b)
{
    return a.products < b.products || (a.products == b.products && a.largest < b.largest);
}

/* The letters of what the factors of a set make; bit i is factor i. */
static unsigned letters_of(const problem *p, unsigned set)
{
    unsigned inside = 0, outside = p->kept;
    for (int i = 0; i < p->count; i++)
        *((set >> i & 1) != 0 ? &inside : &outside) |= p->factors[i].letters;
    return inside & outside;
}

/* Ones where factors are in the part, the first factor's the highest. */
static unsigned word_of(const problem *p, unsigned part)
{
    unsigned word = 0;
    for (int i = 0; i < p->count; i++)
        word = word << 1 | (part >> i & 1);
    return word;
}

/* Cost of the set's best way, and the part of it without the set's first factor. */
static cost best_of(const problem *p, unsigned set, unsigned *part)
{
    cost best = {0, 0};
    *part = 0;
    for (unsigned right = set & (set - 1); right != 0; right = (right - 1) & set) {
        unsigned ignored;
        if ((right & set & -set) != 0)
            continue;
        const cost both = add_cost(best_of(p, set ^ right, &ignored), best_of(p, right, &ignored));
        const int64_t products = size_of(p, letters_of(p, set ^ right) | letters_of(p, right));
        const cost all = add_cost(both, (cost){products, size_of(p, letters_of(p, set))});
        if (*part != 0 && !is_less(all, best) && (is_less(best, all) || word_of(p, *part) < word_of(p, right)))
            continue;
        best = all;
        *part = right;
    }
    return best;
}

/* The least that any sequence of pairs costs. */
static cost least_of(const problem *p)
{
    cost least = {INT64_MAX, INT64_MAX};
    if (p->count == 1)
        return (cost){0, 0};
    for (int i = 0; i < p->count; i++) {
        for (int j = i + 1; j < p->count; j++) {
            problem next = *p;
            const unsigned both = p->factors[i].letters | p->factors[j].letters;
            next.factors[i].letters = both & used_by_others(p, i, j);
            next.factors[j] = next.factors[--next.count];
            const cost step = {size_of(p, both), size_of(p, next.factors[i].letters)};
            const cost all = add_cost(step, least_of(&next));
            least = is_less(all, least) ? all : least;
        }
    }
    return least;
}

/* Contracts a set in its best way; returns where its product stands. `at` says where each factor of the set does. */
static int contract_set(problem *p, const problem *whole, unsigned set, int *at)
{
    unsigned right;
    (void)best_of(whole, set, &right);
    if (right == 0)
        return __builtin_ctz(set);
    const int i = contract_set(p, whole, set ^ right, at), j = contract_set(p, whole, right, at);
    contract(p, at[i], at[j]);
    for (int k = 0; k < whole->count; k++)
        at[k] -= at[k] > at[j];
    return i;
}

static void contract_cheapest(problem *p)
{
    cost least = {INT64_MAX, INT64_MAX};
    int left = 0, right = 0;
    for (int i = 0; i < p->count; i++) {
        for (int j = i + 1; j < p->count; j++) {
            const unsigned both = p->factors[i].letters | p->factors[j].letters;
            const cost pair = {size_of(p, both), size_of(p, both & used_by_others(p, i, j))};
            if (is_less(pair, least)) {
                least = pair;
                left = i;
                right = j;
            }
        }
    }
    contract(p, left, right);
}

static void contract_all(problem *p)
{
    unsigned ignored;
    sum_letters_of_one(p);
    while (p->count > COMPARED)
        contract(p, 0, 1);
    while (p->count > EXHAUSTIVE)
        contract_cheapest(p);
    const problem whole = *p;
    const unsigned all = (1U << p->count) - 1;
    const cost best = best_of(p, all, &ignored), least = least_of(p);
    cr_assert(!is_less(least, best), "%s: there is an order of %" PRId64 " products, not %" PRId64, p->text,
              least.products, best.products);
    int at[EXHAUSTIVE] = {0, 1, 2, 3, 4, 5};
    (void)contract_set(p, &whole, all, at);
}

/* ---- Random notations ---- */

static void add_letter(problem *p, int letter)
{
    const size_t length = strlen(p->text);
    p->text[length] = (char)('a' + letter);
    p->text[length + 1] = '\0';
}

/* An operand with some letters; some have one element where others have more. */
static void draw_factor(bench b, problem *p, int most_letters)
{
    int64_t shape[LETTERS];
    int rank = 0;
    factor *f = &p->factors[p->count];
    unsigned letters = 0;
    for (int64_t n = zc_random_range(0, most_letters); n > 0; n--)
        letters |= 1U << zc_random_range(0, LETTERS - 1);
    f->letters = 0;
    for (int l = 0; l < LETTERS; l++) {
        if ((letters >> l & 1) == 0)
            continue;
        const bool is_one = zc_random_range(0, 9) == 0;
        add_letter(p, l);
        shape[rank++] = is_one ? 1 : p->extent[l];
        f->letters |= is_one ? 0 : 1U << l;
    }
    const int64_t size = size_of(p, f->letters);
    f->values = malloc((size_t)(size + 1) * sizeof *f->values);
    for (int64_t i = 0; i < size; i++)
        f->values[i] = (zc_random_double() - 0.4) * 2;
    p->tensors[p->count++] = zc_from_data(b.ctx, ZC_FLOAT64, rank, shape, f->values, (size_t)size * sizeof *f->values);
}

/* Letters that occur with one element only have that many. */
static void finish_letters(problem *p)
{
    unsigned used = 0;
    for (int i = 0; i < p->count; i++)
        used |= p->factors[i].letters;
    for (int l = 0; l < LETTERS; l++)
        p->extent[l] = (used >> l & 1) != 0 ? p->extent[l] : 1;
}

static void draw_problem(bench b, problem *p, int operands)
{
    static const int64_t extents[] = {1, 2, 2, 3, 3, 4, 5, 7};
    const int most_letters = operands > 4 ? 2 : 3;
    memset(p, 0, sizeof *p);
    for (int l = 0; l < LETTERS; l++)
        p->extent[l] = zc_random_range(0, 60) == 0 ? 0 : extents[zc_random_range(0, 7)];
    for (int i = 0; i < operands; i++) {
        (void)strcat(p->text, i > 0 ? "," : "");
        draw_factor(b, p, most_letters);
    }
    char *comma = strrchr(p->text, ',');
    (void)strcat(p->text, "->");
    for (int l = 0; l < LETTERS; l++) {
        const char *found = strchr(p->text, 'a' + l);
        if (comma == NULL || found == NULL || zc_random_bool())
            continue;
        add_letter(p, l);
        p->kept |= 1U << l;
    }
    p->operands = operands;
    finish_letters(p);
}

static void expect_definition(bench b, int operands)
{
    static problem p;
    zc_scope *scope = zc_scope_begin(b.ctx);
    draw_problem(b, &p, operands);
    zc_tensor *got = NULL, *recorded = zc_einsum(b.ctx, p.text, p.operands, p.tensors);
    cr_assert_eq(zc_materialize(recorded, &got), ZC_OK, "%s: %s", p.text, zc_error_text(b.ctx));
    contract_all(&p);
    const double *values = zc_data(got);
    cr_assert_eq(zc_size(got), size_of(&p, p.kept), "%s", p.text);
    for (int64_t i = 0; i < zc_size(got); i++) {
        const double wanted = p.factors[0].values[element_at(&p, p.factors[0].letters, p.kept, i)];
        cr_assert(memcmp(&values[i], &wanted, sizeof wanted) == 0, "%s: element %" PRId64 " is %a, not %a", p.text, i,
                  values[i], wanted);
    }
    free(p.factors[0].values);
    zc_release(got);
    zc_scope_end(scope);
}

Test(einsum_order, has_the_fewest_products_and_the_bits_of_the_definition)
{
    zc_random_begin("einsum_order");
    bench b = begin();
    for (int i = 0; i < zc_test_count(ROUNDS); i++)
        expect_definition(b, (int)zc_random_range(2, EXHAUSTIVE));
    finish(b);
}

Test(einsum_order, of_many_operands_takes_the_cheapest_pairs_first)
{
    zc_random_begin("einsum_order/many");
    bench b = begin();
    for (int i = 0; i < zc_test_count(ROUNDS / 4); i++)
        expect_definition(b, (int)zc_random_range(EXHAUSTIVE + 1, 12));
    for (int i = 0; i < 4; i++)
        expect_definition(b, (int)zc_random_range(COMPARED + 1, MOST));
    finish(b);
}

/* ---- What it is for ---- */

/* From left to right these were products of matrices: 8 MB each, and 10^9 products. */
Test(einsum_order, a_chain_that_ends_in_a_vector_makes_vectors)
{
    bench b = begin();
    zc_tensor *a = zc_astype(count_to(b, ZC_SHAPE(1000, 1000)), ZC_FLOAT64), *held = NULL;
    cr_assert_eq(zc_materialize(a, &held), ZC_OK);
    const zc_tensor *v = zc_index(held, 0, 0);
    cr_assert_lt(cost_of(EINSUM(b, "ab,bc,cd,d->a", held, held, held, v)).peak_bytes, 100000);
    cr_assert_lt(
        cost_of(EINSUM(b, "ab,bc,cd,de,ef,fg,gh,h->a", held, held, held, held, held, held, held, v)).peak_bytes,
        100000);
    cr_assert_lt(cost_of(EINSUM(b, "a,ab,bc,cd,d", v, held, held, held, v)).peak_bytes, 100000);
    finish(b);
}

/* The products of some pairs have more elements than are counted; those of others do not. */
Test(einsum_order, counts_that_overflow_are_avoided)
{
    bench b = begin();
    const int64_t n = INT64_C(1) << 40;
    zc_tensor *x = zc_full(b.ctx, ZC_SHAPE(n), ZC_FLOAT64, 0.5), *s = zc_full(b.ctx, ZC_SCALAR_SHAPE, ZC_FLOAT64, 2);
    EXPECT(EINSUM(b, "a,b,a,b", x, x, x, x), 0x1p76);
    EXPECT(EINSUM(b, "a,b,c,d,a,c,b,d,", x, x, x, x, x, x, x, x, s), 0x1p153);
    zc_tensor *square = zc_full(b.ctx, ZC_SHAPE(1 << 22, 1 << 22), ZC_FLOAT64, 1);
    expect_refused(b, EINSUM(b, "ab,bc,ca", square, square, square), ZC_ERROR_OVERFLOW,
                   "broadcast_to: the sizes of shape (4194304, 4194304, 4194304) multiply to more than 2^63 - 1 "
                   "(operand shape: (4194304, 4194304, 1), target shape: (4194304, 4194304, 4194304))");
    cr_assert_null(EINSUM(b, "ab,bc,cd,da", square, square, square, square));
    cr_assert_eq(zc_error_status(b.ctx), ZC_ERROR_OVERFLOW);
    zc_error_clear(b.ctx);
    zc_tensor *none = zc_full(b.ctx, ZC_SHAPE(n, 0), ZC_FLOAT64, 1);
    EXPECT(EINSUM(b, "ab,b,a,cb,c", none, zc_full(b.ctx, ZC_SHAPE(0), ZC_FLOAT64, 1), x, none, x), 0);
    finish(b);
}

Test(einsum_order, thousands_of_operands_take_no_time)
{
    enum { OPERANDS = 5000 };
    static const zc_tensor *tensors[OPERANDS];
    static char text[4 * OPERANDS];
    bench b = begin();
    zc_tensor *x = OF(b.ctx, ZC_FLOAT64, 1, -1, 2);
    for (int i = 0; i < OPERANDS; i++) {
        (void)memcpy(text + (size_t)2 * (size_t)i, "a,", 2);
        tensors[i] = i < 10 ? x : zc_slice(x, 0, 0, 1, 1);
    }
    text[2 * OPERANDS - 1] = '\0';
    EXPECT(zc_einsum(b.ctx, text, OPERANDS, tensors), 2 + 1024);
    finish(b);
}
