/*
 * Expressions evaluated inside the test program, without the command around them.
 */
#ifndef ZC_TESTS_TOOLS_SESSION_TEXT_H
#define ZC_TESTS_TOOLS_SESSION_TEXT_H

#include "expressions/base/fault.h"

/* Text that eval would print of the expression, without the last newline, to be freed; NULL with a fault. *dtype is
 * that of the result. */
char *zc_text_of_expression(const char *expression, zc_executor executor, zc_dtype *dtype, zc_fault *fault);

#endif
