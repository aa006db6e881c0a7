#include "tests/views/dialects.h"

#include "views/dialects/dialects.h"

const char *const dialect_names[DIALECTS] = {
    "numpy",        "tensorflow", "mindspore", "ngraph",         "xla broadcast",     "xla broadcast_in_dim",
    "stablehlo",    "torch",      "onnx",      "openvino numpy", "openvino explicit", "openvino bidirectional",
    "openvino pdpd"};

bool dialect_takes_list(dialect d)
{
    return d == NGRAPH || d == XLA_IN_DIM || d == STABLEHLO || d == OPENVINO_EXPLICIT || d == OPENVINO_PDPD;
}

zc_status dialect_call(dialect d, const zc_view *in, int rank, const int64_t *shape, int count, const int *list,
                       zc_view *out, zc_reason *why)
{
    switch (d) {
    case NUMPY:
        return zc_view_broadcast_to(in, rank, shape, out, why);
    case TENSORFLOW:
        return zc_view_tf_broadcast_to(in, rank, shape, out, why);
    case MINDSPORE:
        return zc_view_mindspore_broadcast_to(in, rank, shape, out, why);
    case NGRAPH:
        return zc_view_ngraph_broadcast(in, rank, shape, count, list, out, why);
    case XLA_BROADCAST:
        return zc_view_xla_broadcast(in, rank, shape, out, why);
    case XLA_IN_DIM:
        return zc_view_xla_broadcast_in_dim(in, rank, shape, count, list, out, why);
    case STABLEHLO:
        return zc_view_stablehlo_broadcast_in_dim(in, rank, shape, count, list, out, why);
    case TORCH:
        return zc_view_torch_expand(in, rank, shape, out, why);
    case ONNX:
        return zc_view_onnx_expand(in, rank, shape, out, why);
    case OPENVINO_NUMPY:
        return zc_view_openvino_broadcast(in, rank, shape, ZC_OPENVINO_NUMPY, ZC_NO_AXES, -1, out, why);
    case OPENVINO_EXPLICIT:
        return zc_view_openvino_broadcast(in, rank, shape, ZC_OPENVINO_EXPLICIT, count, list, -1, out, why);
    case OPENVINO_BIDIRECTIONAL:
        return zc_view_openvino_broadcast(in, rank, shape, ZC_OPENVINO_BIDIRECTIONAL, ZC_NO_AXES, -1, out, why);
    case OPENVINO_PDPD:
        return zc_view_openvino_broadcast(in, rank, shape, ZC_OPENVINO_PDPD, ZC_NO_AXES, count > 0 ? list[0] : -1, out,
                                          why);
    case DIALECTS:
        break;
    }
    return ZC_ERROR_INTERNAL;
}
