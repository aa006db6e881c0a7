/*
 * Functions of the expression language that make several calls of the library, in the files call_*.c. The rows of
 * functions.def declare them.
 *
 * Each returns a tensor with a reference for the caller, or NULL with the failure in call->fault or in the context;
 * those that give a tuple return whether they did.
 */
#ifndef ZC_EXPRESSIONS_FUNCTIONS_CALLS_H
#define ZC_EXPRESSIONS_FUNCTIONS_CALLS_H

#include "expressions/functions/function.h"

#define ZC_FUNCTION(name, parameters, family, function)
#define ZC_CALL_FUNCTION(name, parameters, function)  zc_tensor *function(zc_call *call);
#define ZC_TUPLE_FUNCTION(name, parameters, function) bool function(zc_call *call, zc_object *result);
#define ZC_DEFINED_FUNCTION(name, parameters, body)
#include "expressions/functions/functions.def"
#undef ZC_FUNCTION
#undef ZC_CALL_FUNCTION
#undef ZC_TUPLE_FUNCTION
#undef ZC_DEFINED_FUNCTION

#endif
