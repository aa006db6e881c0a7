/* The public header and nothing else: every macro that a user may write, in every standard it promises. */
#include "zerocast.h"
#include "zerocast.h" /* including it twice is harmless */

/* The library's enumerations, whatever the program's are (-fshort-enums). */
#define IS_AN_INT(type) extern char type##_is_an_int[sizeof(type) == sizeof(int) ? 1 : -1]
IS_AN_INT(zc_status);
IS_AN_INT(zc_dtype);
IS_AN_INT(zc_executor);
IS_AN_INT(zc_openvino_mode);
IS_AN_INT(zc_xla_op);
IS_AN_INT(zc_pad_mode);
IS_AN_INT(zc_update_op);
IS_AN_INT(zc_format);

zc_tensor *use_macros(zc_tensor *t);

zc_tensor *use_macros(zc_tensor *t)
{
    const int rows = 2;
    zc_tensor *made = NULL;
    t = zc_reshape(t, ZC_SHAPE(rows, 3));
    t = zc_sum(t, ZC_AXES(0, 1), false);
    t = zc_concat(zc_context_of(t), ZC_TENSORS(t, t), 0);
    (void)zc_materialize_all(ZC_TENSORS(t), &made);
    t = zc_eval(zc_context_of(t), "t + made", ZC_NAMED(t, made));
    t = zc_broadcast_to(t, ZC_SCALAR_SHAPE);
    t = zc_sum(t, ZC_ALL_AXES, true);
    t = zc_slice(t, 0, ZC_NONE, ZC_NONE, -1);
    return t;
}
