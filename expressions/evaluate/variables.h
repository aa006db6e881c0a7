/*
 * Which names of a program are gradient variables: those that grad() and vjp() differentiate by. They are marked before
 * the program runs, so that gradients pass through what it computes on the way (zc_variable).
 */
#ifndef ZC_EXPRESSIONS_EVALUATE_VARIABLES_H
#define ZC_EXPRESSIONS_EVALUATE_VARIABLES_H

#include "expressions/language/program.h"

/* Calls mark() with the number of every such name, in any order and perhaps more than once. False when memory is out.
 */
bool zc_find_variables(const zc_program *program, void (*mark)(void *user, uint32_t name), void *user, zc_fault *fault);

#endif
