/*
 * Functions that the expression language puts together from several of the library's.
 *
 * Each returns a tensor with a reference for the caller, or NULL with the failure in call->fault or in the context;
 * those that give a tuple return whether they did.
 */
#ifndef ZC_TOOLS_FUNCTIONS_COMPOSED_H
#define ZC_TOOLS_FUNCTIONS_COMPOSED_H

#include "tools/functions/function.h"

/* composed_views.c */
zc_tensor *zc_itself(const zc_tensor *x); /* another reference */
zc_tensor *zc_ravel(const zc_tensor *x);
zc_tensor *zc_reverse_axes(const zc_tensor *x); /* x.T */
zc_tensor *zc_compose_transpose(zc_call *call);
zc_tensor *zc_compose_moveaxis(zc_call *call);
zc_tensor *zc_compose_expand_dims(zc_call *call);
zc_tensor *zc_compose_squeeze(zc_call *call);
zc_tensor *zc_compose_reshape(zc_call *call);
zc_tensor *zc_compose_rot90(zc_call *call);
zc_tensor *zc_compose_diagonal(zc_call *call);
zc_tensor *zc_compose_trace(zc_call *call);
zc_tensor *zc_compose_as_strided(zc_call *call);

/* composed_tuples.c */
bool zc_compose_split(zc_call *call, zc_value *result);
bool zc_compose_unstack(zc_call *call, zc_value *result);
bool zc_compose_meshgrid(zc_call *call, zc_value *result);
bool zc_compose_broadcast_arrays(zc_call *call, zc_value *result);
bool zc_compose_broadcast_shapes(zc_call *call, zc_value *result);

/* composed_dialects.c */
zc_tensor *zc_compose_mindspore_broadcast_to(zc_call *call);
zc_tensor *zc_compose_ngraph_broadcast_like(zc_call *call);
zc_tensor *zc_compose_openvino_broadcast(zc_call *call);

/* composed_rearranged.c */
zc_tensor *zc_compose_concat(zc_call *call);
zc_tensor *zc_compose_stack(zc_call *call);
zc_tensor *zc_compose_roll(zc_call *call);
zc_tensor *zc_compose_repeat(zc_call *call);
zc_tensor *zc_compose_pad(zc_call *call);
zc_tensor *zc_compose_tril(zc_call *call);
zc_tensor *zc_compose_triu(zc_call *call);
zc_tensor *zc_compose_take(zc_call *call);
zc_tensor *zc_compose_take_along_axis(zc_call *call);

/* composed_statistics.c */
zc_tensor *zc_compose_var(zc_call *call);
zc_tensor *zc_compose_std(zc_call *call);
zc_tensor *zc_compose_vector_norm(zc_call *call);
zc_tensor *zc_compose_cumulative_sum(zc_call *call);
zc_tensor *zc_compose_cumulative_prod(zc_call *call);
zc_tensor *zc_compose_softmax(zc_call *call);
zc_tensor *zc_compose_log_softmax(zc_call *call);
zc_tensor *zc_compose_diff(zc_call *call);
zc_tensor *zc_compose_vecdot(zc_call *call);
zc_tensor *zc_compose_tensordot(zc_call *call);
zc_tensor *zc_compose_einsum(zc_call *call);
zc_tensor *zc_compose_vjp(zc_call *call);
zc_tensor *zc_compose_isin(zc_call *call);

/* composed_dtypes.c: dtypes and truths */
bool zc_compose_result_type(zc_call *call, zc_value *result);
bool zc_compose_can_cast(zc_call *call, zc_value *result);
bool zc_compose_isdtype(zc_call *call, zc_value *result);

/* composed_sorted.c: computed when they are called */
zc_tensor *zc_compose_sort(zc_call *call);
zc_tensor *zc_compose_argsort(zc_call *call);
zc_tensor *zc_compose_searchsorted(zc_call *call);
zc_tensor *zc_compose_unique_values(zc_call *call);
bool zc_compose_top_k(zc_call *call, zc_value *result);
bool zc_compose_unique_counts(zc_call *call, zc_value *result);
bool zc_compose_unique_inverse(zc_call *call, zc_value *result);
bool zc_compose_unique_all(zc_call *call, zc_value *result);
bool zc_compose_nonzero(zc_call *call, zc_value *result);

/* composed_values.c */
zc_tensor *zc_compose_clip(zc_call *call);
zc_tensor *zc_compose_view(zc_call *call);
zc_tensor *zc_compose_gelu(zc_call *call);
zc_tensor *zc_compose_astype(zc_call *call);
zc_tensor *zc_compose_asarray(zc_call *call);
zc_tensor *zc_compose_zeros(zc_call *call);
zc_tensor *zc_compose_ones(zc_call *call);
zc_tensor *zc_compose_full(zc_call *call);
zc_tensor *zc_compose_zeros_like(zc_call *call);
zc_tensor *zc_compose_ones_like(zc_call *call);
zc_tensor *zc_compose_full_like(zc_call *call);

/* composed_ranges.c */
zc_tensor *zc_compose_arange(zc_call *call);
zc_tensor *zc_compose_linspace(zc_call *call);
zc_tensor *zc_compose_eye(zc_call *call);

#endif
