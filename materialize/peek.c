/* Reading one element without a plan. */
#include <string.h>

#include "materialize/run/few.h"
#include "runtime/graph/keep.h"
#include "runtime/graph/pending.h"

/* Nodes from which on what was computed stays in memory: a chain that is read at each step is not walked to its end. */
enum { KEPT_FROM = 8 };

static void keep(const zc_tensor *t, const zc_scalar *element, const zc_few *known)
{
    if (t->ctx->options.recompute || t->node->size != 1 || !zc_keep_few(t, element, known))
        return;
    zc_kept_add(t->node);
    zc_kept_trim(t->heap);
}

bool zc_peek(const zc_tensor *t, void *element)
{
    zc_scalar value;
    zc_few known;
    if (t == NULL || element == NULL || t->size != 1)
        return false;
    zc_graph_follow_begin();
    const bool is_known = zc_compute_element(t, NULL, &value, &known);
    zc_graph_follow_end();
    if (!is_known || (known.computed > 0 && zc_pending_has_grown(t->heap)))
        return false;
    memcpy(element, value.bytes, zc_dtype_bytes(zc_dtype_of(t)));
    if (known.computed >= KEPT_FROM)
        keep(t, &value, &known);
    else if (known.computed > 0)
        zc_kept_trim(t->heap);
    return true;
}
