/* Updates: a tensor with the elements at some places changed. Places number its elements; where they are made of
 * numbers by views and takes, which zc_places() begins with, these are what the node keeps of them. */
#ifndef ZC_RUNTIME_RECORD_UPDATE_H
#define ZC_RUNTIME_RECORD_UPDATE_H

#include "runtime/graph/tensor.h"

/* x, of the shape of `like`, a scatter, changed by values, of its domain's shape and x's dtype, at its places; and the
 * elements of t, of its shape, at these places. NULL operands give NULL. */
zc_tensor *zc_record_update(const zc_node *like, zc_update_op op, const zc_tensor *x, const zc_tensor *values,
                            const char *function);
zc_tensor *zc_record_at(const zc_node *like, const zc_tensor *t, const char *function);

/* zc_update() of elements that are set, for what takes the place of t (zc_assign). */
zc_tensor *zc_record_assigned(const zc_tensor *t, const zc_tensor *places, const zc_tensor *values);

#endif
