/*
 * Views of one tensor that operators need too: each is one call of the library.
 */
#ifndef ZC_EXPRESSIONS_FUNCTIONS_CALL_VIEWS_H
#define ZC_EXPRESSIONS_FUNCTIONS_CALL_VIEWS_H

#include "zerocast.h"

zc_tensor *zc_itself(const zc_tensor *x); /* another reference */
zc_tensor *zc_ravel(const zc_tensor *x);
zc_tensor *zc_reverse_axes(const zc_tensor *x); /* x.T */

#endif
