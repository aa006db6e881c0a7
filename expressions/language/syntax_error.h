/*
 * How a syntax error is shown: a sentence with the column, the line it stands in, and a caret under the place.
 */
#ifndef ZC_EXPRESSIONS_LANGUAGE_SYNTAX_ERROR_H
#define ZC_EXPRESSIONS_LANGUAGE_SYNTAX_ERROR_H

#include "expressions/base/fault.h"

/* Columns count characters (UTF-8) from 1; the line number is told when the source has several. `at` points into the
 * source or to its end. Returns false. */
bool zc_syntax_error(zc_fault *fault, const char *source, size_t length, const char *at, const char *sentence);

#endif
