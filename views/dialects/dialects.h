/*
 * The view operations by the rules of other systems, which validate in their order and words and then build what
 * broadcast.h builds.
 */
#ifndef ZC_VIEWS_DIALECTS_DIALECTS_H
#define ZC_VIEWS_DIALECTS_DIALECTS_H

#include "views/view_ops.h"

#define ZC_VIEW_OP(name, label, parameters, arguments) ZC_DECLARE_VIEW_OP(name, parameters)
#include "views/dialects/dialects.def"
#undef ZC_VIEW_OP

#endif
