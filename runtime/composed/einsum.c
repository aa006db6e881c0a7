/*
 * Einstein's notation: "ij,jk->ik". A letter names an axis; axes of one letter have one extent, those that the result
 * does not name are summed over.
 */
#include <string.h>

#include "runtime/composed/contraction_order.h"
#include "runtime/graph/scope.h"
#include "runtime/memory/arena.h"
#include "runtime/record/record.h"

enum { LETTERS = 128, ELLIPSIS = 0, NOBODY = -1 };

/* Parsed subscripts. Axes that an ellipsis stands for are aligned at the right, as in broadcasting. */
typedef struct notation {
    const char *text;
    int count; /* operands */
    const zc_tensor *const *tensors;
    int64_t extent[LETTERS]; /* -1: the letter does not occur */
    int uses[LETTERS];
    int place[LETTERS]; /* axis of the contraction */
    int dotted;         /* axes of the longest ellipsis */
    int64_t dotted_extent[ZC_MAX_RANK];
    zc_contraction axes;
} notation;

/* c: the letter that does what is wrong, ELLIPSIS or NOBODY. */
static bool refuse(const notation *n, const char *what, int c)
{
    char letter[] = "' '";
    letter[1] = (char)c;
    const char *subject = c == NOBODY ? "" : c == ELLIPSIS ? "'...'" : letter;
    (void)zc_fail(n->tensors[0]->ctx, ZC_ERROR_ARGUMENT, "einsum", "%s%s%s in '%.200s'", subject,
                  c == NOBODY ? "" : " ", what, n->text);
    return false;
}

static bool refuse_character(const notation *n, char c)
{
    if (c > ' ' && c < 0x7f)
        return refuse(n, "is neither a letter nor an ellipsis", c);
    return refuse(n, "a character is neither a letter nor an ellipsis", NOBODY);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* ---- Reading ---- */

/* One item of a list of subscripts: a letter, or ELLIPSIS. False at its end, which is a comma, an arrow or the
 * end of the text; *ok when what stands there is neither. */
static bool next_item(const notation *n, const char **at, char *letter, bool *ok)
{
    *at += strspn(*at, " ");
    if (**at == '\0' || **at == ',' || strncmp(*at, "->", 2) == 0)
        return false;
    if (strncmp(*at, "...", 3) == 0) {
        *letter = ELLIPSIS;
        *at += 3;
        return true;
    }
    *letter = **at;
    *ok = is_letter(**at);
    if (!*ok)
        (void)refuse_character(n, **at);
    *at += 1;
    return *ok;
}

/* Counts the letters and ellipses of a list of subscripts; refuses malformed lists. */
static bool count_items(const notation *n, const char *at, int *letters, int *dots)
{
    char letter;
    bool ok = true;
    *letters = *dots = 0;
    while (next_item(n, &at, &letter, &ok))
        *(letter == ELLIPSIS ? dots : letters) += 1;
    if (ok && *dots > 1)
        return refuse(n, "two ellipses for one operand", NOBODY);
    return ok;
}

/* Extents of one letter agree, or one of them is 1. */
static bool meet(const notation *n, int64_t *extent, int64_t other, int c)
{
    if (*extent < 0 || *extent == 1)
        *extent = other;
    if (*extent != other && other != 1)
        return refuse(n, "stands for axes of different extents", c);
    return true;
}

static bool read_letter(notation *n, const zc_tensor *t, int axis, char c, const int *own)
{
    if (own[(int)c] >= 0 && t->dims[own[(int)c]] != t->dims[axis])
        return refuse(n, "stands for axes of different extents", c);
    n->uses[(int)c]++;
    return meet(n, &n->extent[(int)c], t->dims[axis], c);
}

/* Reads one operand's subscripts, and moves on to what follows. */
static bool read_operand(notation *n, const char **at, const zc_tensor *t)
{
    int letters, dots, own[LETTERS], axis = 0;
    char c;
    bool ok = true;
    memset(own, -1, sizeof own);
    if (!count_items(n, *at, &letters, &dots))
        return false;
    int rest = t->rank - letters; /* the ellipsis' */
    if (rest < 0 || (rest > 0 && dots == 0))
        return refuse(n, "an operand has another number of axes", NOBODY);
    while (next_item(n, at, &c, &ok)) {
        for (int d = 0; c == ELLIPSIS && d < rest; d++, axis++) {
            if (!meet(n, &n->dotted_extent[ZC_MAX_RANK - rest + d], t->dims[axis], ELLIPSIS))
                return false;
        }
        if (c == ELLIPSIS)
            continue;
        if (!read_letter(n, t, axis, c, own))
            return false;
        own[(int)c] = axis++;
    }
    n->dotted = rest > n->dotted ? rest : n->dotted;
    return ok;
}

static bool read_operands(notation *n, const char **at)
{
    for (int i = 0; i < n->count; i++) {
        if (!read_operand(n, at, n->tensors[i]))
            return false;
        if (i + 1 < n->count && **at != ',')
            return refuse(n, "more operands than subscripts", NOBODY);
        *at += i + 1 < n->count ? 1 : 0;
    }
    if (**at == ',')
        return refuse(n, "more subscripts than operands", NOBODY);
    return true;
}

/* ---- The axes of the contraction ---- */

static bool add_axis(notation *n, int64_t extent)
{
    if (n->axes.rank == ZC_MAX_RANK)
        return refuse(n, "too many axes", NOBODY);
    n->axes.shape[n->axes.rank++] = extent;
    return true;
}

static bool add_letter(notation *n, int c)
{
    n->place[c] = n->axes.rank;
    return add_axis(n, n->extent[c]);
}

/* The dots come to stand at the axes 'first' and after. */
static bool add_dots(notation *n, int *first)
{
    *first = n->axes.rank;
    for (int d = ZC_MAX_RANK - n->dotted; d < ZC_MAX_RANK; d++) {
        if (!add_axis(n, n->dotted_extent[d]))
            return false;
    }
    return true;
}

/* Without an arrow: the dots, then the letters that occur once, in order. */
static bool imply_result(notation *n, int *dots_at)
{
    bool ok = add_dots(n, dots_at);
    for (int c = 0; c < LETTERS && ok; c++)
        ok = n->uses[c] != 1 || add_letter(n, c);
    return ok;
}

static bool read_result(notation *n, const char *at, int *dots_at)
{
    char c;
    bool ok = true;
    *dots_at = -1;
    while (next_item(n, &at, &c, &ok)) {
        if (c == ELLIPSIS ? *dots_at >= 0 : n->place[(int)c] >= 0)
            return refuse(n, "stands in the result twice", c);
        if (c != ELLIPSIS && n->uses[(int)c] == 0)
            return refuse(n, "stands in the result alone", c);
        if (!(c == ELLIPSIS ? add_dots(n, dots_at) : add_letter(n, c)))
            return false;
    }
    if (ok && *at != '\0')
        return refuse(n, "more follows the result", NOBODY);
    if (ok && *dots_at < 0 && n->dotted > 0)
        return refuse(n, "the result lacks the ellipsis", NOBODY);
    return ok;
}

static bool add_summed(notation *n)
{
    n->axes.kept = n->axes.rank;
    bool ok = true;
    for (int c = 0; c < LETTERS && ok; c++)
        ok = n->uses[c] == 0 || n->place[c] >= 0 || add_letter(n, c);
    return ok;
}

/* ---- The product ---- */

/* An operand over the axes of the contraction; the text has been read before, so it has no errors. */
static zc_factor show_operand(const notation *n, const char **at, const zc_tensor *t, int dots_at)
{
    int place[ZC_MAX_RANK] = {0}, letters, dots, axis = 0;
    char c;
    bool ok = true;
    (void)count_items(n, *at, &letters, &dots);
    while (next_item(n, at, &c, &ok)) {
        for (int d = 0; c == ELLIPSIS && d < t->rank - letters; d++)
            place[axis++] = dots_at + n->dotted - (t->rank - letters) + d;
        if (c != ELLIPSIS)
            place[axis++] = n->place[(int)c];
    }
    *at += **at == ',' ? 1 : 0;
    uint64_t axes = 0;
    for (int a = 0; a < t->rank; a++)
        axes |= (uint64_t)(t->dims[a] == n->axes.shape[place[a]]) << place[a];
    zc_contraction own;
    zc_contraction_own(&n->axes, axes, &own);
    return (zc_factor){zc_place_axes(t, &own, place), axes};
}

/* Each operand is of the dtype of all of them first, or the first ones would wrap or be rounded in a smaller one. */
static bool show_operands(const notation *n, zc_dtype dtype, int dots_at, zc_factor *factors)
{
    const char *at = n->text;
    for (int i = 0; i < n->count; i++) {
        zc_tensor *operand = zc_astype(n->tensors[i], dtype);
        if (operand == NULL)
            return false;
        factors[i] = show_operand(n, &at, operand, dots_at);
        if (factors[i].shown == NULL)
            return false;
    }
    return true;
}

/* Truth values, and a single operand, are summed over all axes at once. */
static zc_tensor *sum_factors(const notation *n, zc_dtype dtype, const zc_factor *factors)
{
    const zc_tensor *product = factors[0].shown;
    for (int i = 1; i < n->count; i++)
        product = zc_multiply(product, factors[i].shown);
    return zc_sum_product(&n->axes, product, dtype);
}

/* Two at a time, in their order. */
static zc_tensor *contract_factors(const notation *n, zc_dtype dtype, zc_factor *factors, zc_contract_pair *pairs)
{
    zc_contraction_order(&n->axes, n->count, factors, pairs);
    for (int i = 0; i + 1 < n->count; i++) {
        zc_factor *left = &factors[pairs[i].left], *right = &factors[pairs[i].right];
        *left = zc_contract_step(&n->axes, *left, *right, pairs[i].summed);
        if (left->shown == NULL)
            return NULL;
    }
    return zc_contract_result(&n->axes, factors[0].shown, dtype);
}

static zc_tensor *multiply_operands(const notation *n, zc_dtype dtype, int dots_at)
{
    zc_arena arena;
    zc_tensor *result = NULL;
    zc_arena_init(&arena, n->tensors[0]->heap);
    zc_factor *factors = zc_arena_take(&arena, (size_t)n->count, sizeof *factors);
    zc_contract_pair *pairs = zc_arena_take(&arena, (size_t)n->count, sizeof *pairs);
    bool sums_at_once = n->count == 1 || dtype == ZC_BOOL;
    if (arena.failed)
        (void)zc_fail_memory(n->tensors[0]->ctx, "einsum");
    else if (show_operands(n, dtype, dots_at, factors))
        result = sums_at_once ? sum_factors(n, dtype, factors) : contract_factors(n, dtype, factors, pairs);
    zc_arena_free(&arena);
    return result;
}

static bool read_notation(notation *n, int *dots_at)
{
    const char *at = n->text;
    memset(n->extent, -1, sizeof n->extent);
    memset(n->place, -1, sizeof n->place);
    memset(n->dotted_extent, -1, sizeof n->dotted_extent);
    if (!read_operands(n, &at))
        return false;
    bool has_result = *at != '\0';
    return (has_result ? read_result(n, at + 2, dots_at) : imply_result(n, dots_at)) && add_summed(n);
}

zc_tensor *zc_einsum(zc_context *ctx, const char *subscripts, int count, const zc_tensor *const *tensors)
{
    zc_dtype dtype;
    int dots_at;
    if (zc_refuse_no_context(ctx, "einsum"))
        return NULL;
    if (subscripts == NULL || count < 1 || tensors == NULL) {
        (void)zc_fail(ctx, ZC_ERROR_ARGUMENT, "einsum", "there are no %s",
                      subscripts == NULL ? "subscripts" : "operands");
        return NULL;
    }
    if (zc_refuse_lost_in_list(ctx, "einsum", "tensors", count, tensors))
        return NULL;
    notation n = {.text = subscripts, .count = count, .tensors = tensors, .axes = {.function = "einsum"}};
    if (zc_record_promote("einsum", tensors, count, &dtype) != ZC_OK || !read_notation(&n, &dots_at))
        return NULL;
    zc_scope *scope = zc_scope_begin(tensors[0]->ctx);
    if (scope == NULL)
        return NULL;
    return zc_scope_end_with(scope, multiply_operands(&n, dtype, dots_at));
}
