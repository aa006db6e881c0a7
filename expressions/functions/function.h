/*
 * Functions of the expression language: one row of functions.def each, and the call that binds arguments to one.
 *
 * Invariant: when a function runs, every parameter has a value, its argument or its default. Arguments are borrowed
 * from the caller; what a function makes of them on the way is owned by the call and ends with it. A function whose
 * first parameter is "*name" takes any number of arguments, and its other parameters by keyword only.
 */
#ifndef ZC_EXPRESSIONS_FUNCTIONS_FUNCTION_H
#define ZC_EXPRESSIONS_FUNCTIONS_FUNCTION_H

#include "expressions/values/object.h"

enum { ZC_MAX_PARAMETERS = 8 };

typedef struct zc_call zc_call;

/* The library's function behind a row; which member is meant is the row's family. */
typedef union zc_target {
    zc_tensor *(*unary)(const zc_tensor *x);
    zc_tensor *(*binary)(const zc_tensor *a, const zc_tensor *b);
    zc_tensor *(*ternary)(const zc_tensor *a, const zc_tensor *b, const zc_tensor *c);
    zc_tensor *(*reduction)(const zc_tensor *x, int count, const int *axes, bool keepdims);
    zc_tensor *(*accumulation)(const zc_tensor *x, int count, const int *axes, bool keepdims);
    zc_tensor *(*shape_view)(const zc_tensor *x, int rank, const int64_t *shape);
    zc_tensor *(*placed_view)(const zc_tensor *x, int rank, const int64_t *shape, int count, const int *axes);
    zc_tensor *(*axes_view)(const zc_tensor *x, int count, const int *axes);
    zc_tensor *(*axis_pair)(const zc_tensor *x, int axis1, int axis2);
    zc_xla_op xla_binary; /* which one of zc_xla_binary's */
} zc_target;

typedef struct zc_function {
    const char *name;
    const char *parameters;           /* "x, axis=None, keepdims=False" */
    zc_tensor *(*run)(zc_call *call); /* NULL when the function gives a tuple: */
    zc_target target;                 /* unused when run makes the calls of the library itself */
    bool (*run_tuple)(zc_call *call, zc_object *result);
    const char *body; /* of one that is an expression of its parameters, which evaluators run; else NULL */
} zc_function;

struct zc_call {
    zc_context *ctx;
    zc_fault *fault;
    const zc_function *function;
    zc_object arguments[ZC_MAX_PARAMETERS]; /* in the order of the parameters */
    zc_tensor *owned[ZC_MAX_PARAMETERS];    /* tensors made of arguments that were none */
    bool is_method;                         /* called as x.name(...), x being its first argument */
    zc_object spread;                       /* the numbers of x.reshape(2, 3) as a tuple, or None */
    const zc_object *rest;                  /* all arguments without a keyword, where the first parameter is "*name" */
    uint32_t rest_count;
};

/* The function of that name, or of that alias, or NULL. */
const zc_function *zc_function_find(const char *name);

/* Alias i, and the name that it stands for; NULL where there are no more. */
const char *zc_function_alias(int i, const char **name);

/* Names near to an unknown one: zc_suggestion_text() of the function names. */
const char *zc_function_suggest(const char *name, char *buffer);

/* Calls call->function with positional arguments and (string, value) pairs of keyword arguments, by Python's rules. */
bool zc_function_call(zc_call *call, const zc_object *positional, uint32_t positional_count, const zc_object *keywords,
                      uint32_t keyword_count, zc_object *result);

#endif
