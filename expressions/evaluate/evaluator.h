/*
 * The evaluator: runs a program on an explicit stack and leaves one tensor, or several in a tuple.
 *
 * Invariant: every value on the stack and in a slot holds its own reference, so whatever goes wrong,
 * zc_evaluator_end() gives everything back.
 */
#ifndef ZC_EXPRESSIONS_EVALUATE_EVALUATOR_H
#define ZC_EXPRESSIONS_EVALUATE_EVALUATOR_H

#include "expressions/functions/function.h"
#include "expressions/language/program.h"

/* Most functions that compute when they are called: tested. */
enum { ZC_MAX_COMPUTED = 24 };

/* Value of a name of the program. */
typedef struct zc_slot {
    bool is_bound;
    bool is_variable; /* tensors that it is bound to are (variables.h) */
    zc_object value;
    const zc_function *function; /* found once, when it is first called */
} zc_slot;

typedef struct zc_evaluator {
    zc_context *ctx;
    const zc_program *program;
    zc_fault *fault;
    zc_slot *slots; /* by the names' numbers */
    zc_object *stack;
    size_t depth;
    size_t capacity;
    zc_object result;                      /* of the last statement */
    bool masks_compute;                    /* a subscript by one was there */
    const char *computed[ZC_MAX_COMPUTED]; /* the functions that computed when they were called, each once */
    int computed_count;
} zc_evaluator;

/* Results of a program. */
typedef struct zc_results {
    zc_tensor **tensors; /* [count] */
    int count;
    bool is_tuple; /* a tuple of tensors; else one tensor */
} zc_results;

/* The program outlives the evaluator. End it with zc_evaluator_end() also when this returns false. */
bool zc_evaluator_begin(zc_evaluator *evaluator, zc_context *ctx, const zc_program *program, zc_fault *fault);

/* Binds a name to a value, taking over its reference. A name that the program does not use is no error. */
void zc_evaluator_bind(zc_evaluator *evaluator, const char *name, size_t length, zc_object value);

/* The same of a value that becomes a gradient variable where the program differentiates by the name. False with a
 * fault. */
bool zc_evaluator_bind_variable(zc_evaluator *evaluator, const char *name, size_t length, zc_object value);

/* Tells a name of the program that a value is bound to. */
bool zc_evaluator_is_bound(const zc_evaluator *evaluator, const char *name, size_t length);

/* Runs the program. Free the results, which are empty before, also when this returns false. */
bool zc_evaluator_run(zc_evaluator *evaluator, zc_results *results);

void zc_results_free(zc_results *results);

void zc_evaluator_end(zc_evaluator *evaluator);

#endif
