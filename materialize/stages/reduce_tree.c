#include "materialize/stages/reduce_tree.h"

void zc_tree_clear_lanes(zc_reduce_tree *t)
{
    for (int l = 0; l < ZC_LANES; l++)
        t->lanes[l] = t->padding;
}

zc_scalar zc_tree_join(const zc_reduce_tree *t, zc_scalar left, zc_scalar right)
{
    zc_scalar result = t->padding;
    t->combine(result.bytes, left.bytes, right.bytes, NULL, 1);
    return result;
}

static zc_scalar fold(zc_reduce_tree *t)
{
    for (int half = ZC_LANES / 2; half > 0; half /= 2) {
        for (int l = 0; l < half; l++)
            t->lanes[l] = zc_tree_join(t, t->lanes[l], t->lanes[l + half]);
    }
    return t->lanes[0];
}

void zc_tree_push(zc_reduce_tree *t, zc_scalar run)
{
    int digit = 0;
    for (; (t->leaves >> digit & 1) != 0; digit++)
        run = zc_tree_join(t, t->digits[digit], run);
    t->digits[digit] = run;
    t->leaves++;
}

void zc_tree_end_leaf(zc_reduce_tree *t)
{
    zc_tree_push(t, fold(t));
    zc_tree_clear_lanes(t);
}

zc_scalar zc_tree_end(zc_reduce_tree *t, bool leaf_is_open)
{
    int digit = leaf_is_open ? 0 : __builtin_ctzll((unsigned long long)t->leaves);
    zc_scalar result = leaf_is_open ? fold(t) : t->digits[digit++];
    for (; t->leaves >> digit != 0; digit++) {
        if ((t->leaves >> digit & 1) != 0)
            result = zc_tree_join(t, t->digits[digit], result);
    }
    return result;
}
