/*
 * Every broadcast dialect behind one call, so that tables and sweeps can run over all of them.
 */
#ifndef ZC_TESTS_VIEWS_DIALECTS_H
#define ZC_TESTS_VIEWS_DIALECTS_H

#include "views/view.h"

typedef enum dialect {
    NUMPY,
    TENSORFLOW,
    MINDSPORE,
    NGRAPH,
    XLA_BROADCAST,
    XLA_IN_DIM,
    STABLEHLO,
    TORCH,
    ONNX,
    OPENVINO_NUMPY,
    OPENVINO_EXPLICIT,
    OPENVINO_BIDIRECTIONAL,
    OPENVINO_PDPD,
    DIALECTS
} dialect;

extern const char *const dialect_names[DIALECTS];

/* Tells whether a call has a second list: axes, dims, axes_mapping, or pdpd's axis as a list of one. */
bool dialect_takes_list(dialect d);

zc_status dialect_call(dialect d, const zc_view *in, int rank, const int64_t *shape, int count, const int *list,
                       zc_view *out, zc_reason *why);

#endif
