/* The public header and nothing else: every macro that a user may write, in every standard it promises. */
#include "zerocast.h"
#include "zerocast.h" /* including it twice is harmless */

zc_tensor *use_macros(zc_tensor *t);

zc_tensor *use_macros(zc_tensor *t)
{
#if !defined(__cplusplus) /* C++ has no compound literals: shapes are passed as rank and array there */
    t = zc_reshape(t, ZC_SHAPE(2, 3));
    t = zc_sum(t, ZC_AXES(0, 1), false);
#endif
    t = zc_broadcast_to(t, ZC_SCALAR_SHAPE);
    t = zc_sum(t, ZC_ALL_AXES, true);
    t = zc_slice(t, 0, ZC_NONE, ZC_NONE, -1);
    return t;
}
