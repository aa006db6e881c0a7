#include "runtime/serialize/reader.h"

static const char function[] = "deserialize";

zc_status zc_read_refuse(const zc_reader *r, const char *what)
{
    return zc_fail(r->ctx, ZC_ERROR_FORMAT, function, "%s %lld %s", r->what, (long long)r->number, what);
}

zc_status zc_read_refuse_because(const zc_reader *r, const zc_reason *why)
{
    return zc_fail(r->ctx, ZC_ERROR_FORMAT, function, "%s %lld: %s", r->what, (long long)r->number, why->text);
}

const int64_t *zc_read_words(zc_reader *r, int64_t count)
{
    const int64_t *words = r->at;
    if (count > r->end - r->at) {
        (void)zc_read_refuse(r, "ends too early");
        return NULL;
    }
    r->at += count;
    return words;
}

zc_status zc_read_view(const zc_reader *r, int64_t number, int rank, const int64_t *shape, const int64_t *words,
                       zc_node **node, zc_view *view)
{
    zc_reason why;
    if (number < 0 || number >= r->node_count)
        return zc_read_refuse(r, "uses a node that is not there");
    const zc_restored *of = &r->nodes[number];
    zc_status status = zc_view_prove(rank, shape, words + 1, words[0], of->size, view, &why);
    if (status != ZC_OK)
        return zc_read_refuse_because(r, &why);
    view->offset += zc_view_size(view) > 0 ? of->offset : 0; /* proven: inside the node */
    *node = of->node;
    return ZC_OK;
}

zc_status zc_read_operand(zc_reader *r, int rank, const int64_t *shape, zc_node **node, zc_view *view)
{
    const int64_t *words = zc_read_words(r, 2 + (int64_t)rank);
    return words == NULL ? ZC_ERROR_FORMAT : zc_read_view(r, words[0], rank, shape, words + 1, node, view);
}

zc_tensor *zc_read_tensor(zc_reader *r, int rank, const int64_t *shape)
{
    zc_view view;
    zc_node *node = NULL;
    if (zc_read_operand(r, rank, shape, &node, &view) != ZC_OK)
        return NULL;
    return zc_tensor_new(r->ctx, zc_node_retain(node), &view, function);
}
