/*
 * What clang's analyser is told before each file: a refusal returns the status it is given. The functions are defined
 * in other files, so without this it would follow paths on which a refusal succeeds.
 */
#ifndef ZC_TESTS_LINT_ANALYSER_H
#define ZC_TESTS_LINT_ANALYSER_H

#include "expressions/base/fault.h"
#include "materialize/files/file_error.h"
#include "runtime/context/context.h"

#define zc_refuse(why, status, ...)             (zc_refuse(why, status, __VA_ARGS__), (status))
#define zc_fail(ctx, status, ...)               (zc_fail(ctx, status, __VA_ARGS__), (status))
#define zc_fail_because(ctx, status, name, why) (zc_fail_because(ctx, status, name, why), (status))

#define zc_fail_budget(ctx, name, budget, ...) (zc_fail_budget(ctx, name, budget, __VA_ARGS__), ZC_ERROR_BUDGET)
#define zc_fail_memory(ctx, name)              (zc_fail_memory(ctx, name), ZC_ERROR_MEMORY)

#define zc_file_error(why, path, what)       (zc_file_error(why, path, what), ZC_ERROR_FILE)
#define zc_file_refuse(why, status, path)    (zc_file_refuse(why, status, path), (status))
#define zc_file_fail(ctx, status, name, why) (zc_file_fail(ctx, status, name, why), (status))

#define zc_fault_refuse(fault, ...)  (zc_fault_refuse(fault, __VA_ARGS__), false)
#define zc_fault_usage(fault, ...)   (zc_fault_usage(fault, __VA_ARGS__), false)
#define zc_fault_memory(fault)       (zc_fault_memory(fault), false)
#define zc_fault_library(fault, ctx) (zc_fault_library(fault, ctx), false)

#endif
