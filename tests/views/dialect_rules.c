#include "tests/views/dialect_rules.h"

static bool contains(const small *list, int item)
{
    for (int i = 0; i < list->count; i++)
        if (list->item[i] == item)
            return true;
    return false;
}

static bool has_negative(const small *list)
{
    return (list->count > 0 && list->item[0] < 0) || (list->count > 1 && list->item[1] < 0);
}

static void show(placement *out, const small *shape)
{
    out->rank = shape->count;
    for (int a = 0; a < shape->count; a++)
        out->shape[a] = shape->item[a];
}

/* Every axis of the operand at its place: the sizes are the same there, or the operand's is 1. */
static bool only_operand_gives_way(const small *from, const placement *p)
{
    for (int a = 0; a < from->count; a++)
        if (from->item[a] != 1 && from->item[a] != p->shape[p->axis[a]])
            return false;
    return true;
}

/* The same, but a target of 1 takes the operand's size. */
static bool both_give_way(const small *from, placement *p)
{
    for (int a = 0; a < from->count; a++)
        if (p->shape[p->axis[a]] == 1)
            p->shape[p->axis[a]] = from->item[a];
    return only_operand_gives_way(from, p);
}

static bool place_from(const small *from, int first, const small *to, placement *out)
{
    show(out, to);
    for (int a = 0; a < from->count; a++)
        out->axis[a] = first + a;
    return first >= 0 && first + from->count <= to->count;
}

static bool place_right(const small *from, const small *to, placement *out)
{
    return place_from(from, to->count - from->count, to, out);
}

/* Where -1 keeps the operand's size: the target with the sizes filled in. False: a -1 where there is none. */
static bool keep_sizes(const small *from, const small *to, small *filled)
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

static bool rule_keeping(const small *from, const small *to, placement *out)
{
    small filled;
    return from->count <= to->count && keep_sizes(from, to, &filled) && place_right(from, &filled, out) &&
           only_operand_gives_way(from, out);
}

static bool rule_ngraph(const small *from, const small *to, const small *axes, placement *out)
{
    for (int i = 0; i < axes->count; i++)
        if (axes->item[i] < 0 || axes->item[i] >= to->count)
            return false;
    small kept = {0};
    for (int a = 0; a < to->count; a++)
        if (!contains(axes, a)) {
            out->axis[kept.count] = a;
            kept.item[kept.count++] = to->item[a];
        }
    show(out, to);
    return kept.count == from->count && kept.item[0] == from->item[0] && kept.item[1] == from->item[1];
}

typedef enum dims_order { ASCENDING, DISTINCT } dims_order;

static bool rule_placed(const small *from, const small *to, const small *dims, dims_order order, placement *out)
{
    show(out, to);
    if (dims->count != from->count)
        return false;
    for (int a = 0; a < dims->count; a++) {
        out->axis[a] = dims->item[a];
        if (dims->item[a] < 0 || dims->item[a] >= to->count)
            return false;
    }
    if (dims->count == 2 && dims->item[0] == dims->item[1])
        return false;
    if (dims->count == 2 && dims->item[0] > dims->item[1] && order == ASCENDING)
        return false;
    return only_operand_gives_way(from, out);
}

static bool rule_in_front(const small *from, const small *sizes, placement *out)
{
    show(out, sizes);
    for (int a = 0; a < from->count; a++) {
        out->axis[a] = sizes->count + a;
        out->shape[out->rank++] = from->item[a];
    }
    return true;
}

static bool rule_explicit(const small *from, const small *to, const small *axes, placement *out)
{
    if (from->count > 0 || axes->count == 0)
        return rule_placed(from, to, axes, ASCENDING, out);
    show(out, to);
    return axes->count == 1 && axes->item[0] >= 0 && axes->item[0] < to->count && to->item[axes->item[0]] == 1;
}

/* The shorter list is filled up with ones at the left. */
static bool rule_both(const small *from, const small *to, placement *out)
{
    small target = *to;
    while (target.count < from->count) {
        target.item[1] = target.item[0];
        target.item[0] = 1;
        target.count++;
    }
    return place_right(from, &target, out) && both_give_way(from, out);
}

bool dialect_rule(dialect d, const small *from, const small *to, const small *axes, placement *out)
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
