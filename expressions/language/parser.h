/*
 * The parser: operator precedence with an explicit stack, from source straight to postfix.
 *
 * Invariant: nothing recurses and nothing is read twice, so any nesting and any length takes linear time and heap
 * memory only. The whole source is parsed before any of it is evaluated.
 */
#ifndef ZC_EXPRESSIONS_LANGUAGE_PARSER_H
#define ZC_EXPRESSIONS_LANGUAGE_PARSER_H

#include "expressions/base/fault.h"
#include "expressions/language/program.h"

/* The longest source, in bytes. */
enum { ZC_MAX_SOURCE_BYTES = 1 << 26 };

/* Compiles into an empty program, which the caller ends with zc_program_free() whatever comes back. False with a usage
 * fault that names the column of a syntax error. */
bool zc_parse(const char *source, size_t length, zc_program *program, zc_fault *fault);

#endif
