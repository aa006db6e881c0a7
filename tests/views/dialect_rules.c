#include "tests/views/dialect_rules.h"

static bool contains(const numbers *list, int64_t item)
{
    for (int i = 0; i < list->count; i++)
        if (list->item[i] == item)
            return true;
    return false;
}

static bool has_negative(const numbers *list)
{
    for (int i = 0; i < list->count; i++)
        if (list->item[i] < 0)
            return true;
    return false;
}

static void show(placement *out, const numbers *shape)
{
    out->rank = shape->count;
    for (int a = 0; a < shape->count; a++)
        out->shape[a] = shape->item[a];
}

/* Every axis of the operand at its place: the sizes are the same there, or the operand's is 1. */
static bool only_operand_gives_way(const numbers *from, const placement *p)
{
    for (int a = 0; a < from->count; a++)
        if (from->item[a] != 1 && from->item[a] != p->shape[p->axis[a]])
            return false;
    return true;
}

/* The same, but a target of 1 takes the operand's size. */
static bool both_give_way(const numbers *from, placement *p)
{
    for (int a = 0; a < from->count; a++)
        if (p->shape[p->axis[a]] == 1)
            p->shape[p->axis[a]] = from->item[a];
    return only_operand_gives_way(from, p);
}

static bool place_from(const numbers *from, int64_t first, const numbers *to, placement *out)
{
    show(out, to);
    if (first < 0 || first + from->count > to->count)
        return false;
    for (int a = 0; a < from->count; a++)
        out->axis[a] = (int)first + a;
    return true;
}

static bool place_right(const numbers *from, const numbers *to, placement *out)
{
    return place_from(from, to->count - from->count, to, out);
}

/* Fills the target with the operand's size for each -1. False: a -1 where there is none, or another negative size. */
static bool keep_sizes(const numbers *from, const numbers *to, numbers *filled)
{
    *filled = *to;
    for (int a = 0; a < to->count; a++) {
        int own = a - (to->count - from->count);
        if (to->item[a] == -1 && own < 0)
            return false;
        if (to->item[a] == -1)
            filled->item[a] = from->item[own];
    }
    return !has_negative(filled);
}

static bool rule_keeping(const numbers *from, const numbers *to, placement *out)
{
    numbers filled;
    return from->count <= to->count && keep_sizes(from, to, &filled) && place_right(from, &filled, out) &&
           only_operand_gives_way(from, out);
}

static bool rule_ngraph(const numbers *from, const numbers *to, const numbers *axes, placement *out)
{
    for (int i = 0; i < axes->count; i++)
        if (axes->item[i] < 0 || axes->item[i] >= to->count)
            return false;
    int kept = 0;
    show(out, to);
    for (int a = 0; a < to->count; a++) {
        if (contains(axes, a))
            continue;
        if (kept == from->count || from->item[kept] != to->item[a])
            return false;
        out->axis[kept++] = a;
    }
    return kept == from->count;
}

typedef enum dims_order { ASCENDING, DISTINCT } dims_order;

static bool rule_placed(const numbers *from, const numbers *to, const numbers *dims, dims_order order, placement *out)
{
    show(out, to);
    if (dims->count != from->count)
        return false;
    for (int a = 0; a < dims->count; a++) {
        out->axis[a] = (int)dims->item[a];
        if (dims->item[a] < 0 || dims->item[a] >= to->count)
            return false;
        for (int b = 0; b < a; b++)
            if (dims->item[b] == dims->item[a] || (dims->item[b] > dims->item[a] && order == ASCENDING))
                return false;
    }
    return only_operand_gives_way(from, out);
}

static bool rule_in_front(const numbers *from, const numbers *sizes, placement *out)
{
    if (sizes->count + from->count > ZC_MAX_RANK)
        return false;
    show(out, sizes);
    for (int a = 0; a < from->count; a++) {
        out->axis[a] = sizes->count + a;
        out->shape[out->rank++] = from->item[a];
    }
    return true;
}

static bool rule_explicit(const numbers *from, const numbers *to, const numbers *axes, placement *out)
{
    if (from->count > 0 || axes->count == 0)
        return rule_placed(from, to, axes, ASCENDING, out);
    show(out, to);
    return axes->count == 1 && axes->item[0] >= 0 && axes->item[0] < to->count && to->item[axes->item[0]] == 1;
}

/* The shorter list is filled up with ones at the left. */
static bool rule_both(const numbers *from, const numbers *to, placement *out)
{
    numbers target = *to;
    int added = from->count > to->count ? from->count - to->count : 0;
    for (int a = 0; a < added; a++)
        target.item[a] = 1;
    for (int a = 0; a < to->count; a++)
        target.item[added + a] = to->item[a];
    target.count += added;
    return place_right(from, &target, out) && both_give_way(from, out);
}

bool dialect_rule(dialect d, const numbers *from, const numbers *to, const numbers *axes, placement *out)
{
    if (has_negative(to) && d != MINDSPORE && d != TORCH)
        return false;
    switch (d) {
    case NUMPY:
    case TENSORFLOW:
    case OPENVINO_NUMPY:
        return place_right(from, to, out) && only_operand_gives_way(from, out);
    case MINDSPORE:
        return (contains(from, 0) || !contains(to, 0)) && rule_keeping(from, to, out);
    case TORCH:
        return rule_keeping(from, to, out);
    case NGRAPH:
        return rule_ngraph(from, to, axes, out);
    case XLA_BROADCAST:
        return rule_in_front(from, to, out);
    case XLA_IN_DIM:
        return rule_placed(from, to, axes, ASCENDING, out);
    case STABLEHLO:
        return rule_placed(from, to, axes, DISTINCT, out);
    case OPENVINO_EXPLICIT:
        return rule_explicit(from, to, axes, out);
    case ONNX:
    case OPENVINO_BIDIRECTIONAL:
        return rule_both(from, to, out);
    case OPENVINO_PDPD:
        return place_from(from, axes->count == 0 || axes->item[0] == -1 ? to->count - from->count : axes->item[0], to,
                          out) &&
               both_give_way(from, out);
    case DIALECTS:
        break;
    }
    return false;
}
