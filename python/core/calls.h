/* Names of the arguments of a core_call named `call`, for rows of functions.def and computed.def. */
#ifndef ZC_PYTHON_CALLS_H
#define ZC_PYTHON_CALLS_H

#include "python/core/core.h"

#define T0   call.t[0]
#define T1   call.t[1]
#define T2   call.t[2]
#define S0   call.list[0].count, call.list[0].sizes
#define S1   call.list[1]
#define A0   call.list[0].count, call.list[0].axes_at
#define A1   call.list[1].count, call.list[1].axes_at
#define N0   call.number[0]
#define N1   call.number[1]
#define N2   call.number[2]
#define N3   call.number[3]
#define REAL call.real
#define ALL  call.tensor_count, (const zc_tensor *const *)call.tensors

#define FAST(function) (PyCFunction)(void (*)(void))(function)

#endif
