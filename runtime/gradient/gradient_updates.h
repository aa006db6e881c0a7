/* The rules of scatters: what is handed on to the base, and to the values, which come from where they were put. */
#ifndef ZC_RUNTIME_GRADIENT_GRADIENT_UPDATES_H
#define ZC_RUNTIME_GRADIENT_GRADIENT_UPDATES_H

#include "runtime/gradient/gradient.h"

/* The rule of scatters, which updates are and gradients themselves make. */
zc_gradient_rule zc_gradient_of_scatter;

#endif
