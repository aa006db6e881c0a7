/*
 * Binds the arguments of a call to the parameters of its function, by Python's rules.
 */
#ifndef ZC_EXPRESSIONS_FUNCTIONS_BINDER_H
#define ZC_EXPRESSIONS_FUNCTIONS_BINDER_H

#include "expressions/functions/function.h"

/* Fills call->arguments, or says which argument is missing, unknown, doubled or too many. */
bool zc_bind(zc_call *call, const zc_object *positional, uint32_t positional_count, const zc_object *keywords,
             uint32_t keyword_count);

/* Number of parameters. */
int zc_parameter_count(const zc_function *function);

/* The name of parameter i into a buffer of ZC_PARAMETER_BYTES. Returns buffer. */
enum { ZC_PARAMETER_BYTES = 32 };
const char *zc_parameter_name(const zc_function *function, int i, char *buffer);

#endif
