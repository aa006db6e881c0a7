/*
 * Makes clang warn where a zc_status is thrown away. C17 has no such attribute for types; clang takes it from an enum
 * that is declared before its header defines it.
 */
#ifndef ZC_TESTS_LINT_ANSWERS_H
#define ZC_TESTS_LINT_ANSWERS_H

enum __attribute__((warn_unused_result)) zc_status;

#endif
