/*
 * The kernels of logsumexp, of float32 and float64, whose partial results are log sums: the largest element m, and the
 * sum s of e^(x - m) of the elements x. An element is the log sum (x, 1), and one that is taken in is joined as such:
 *
 *     (m, s) and (n, t), n above m:  (n, s e^(m - n) + t)
 *                        else:       (m, s + t e^(n - m))
 *
 * Exponents that are no numbers, as of equal infinities, or that would give no normal number, count as the least whose
 * result is normal: beside a sum of 1 or more that is nothing, and log(s) + m is infinite or NaN where m is.
 */
#include <string.h>

#include "materialize/kernels/elements/elements.h"
#include "materialize/kernels/templates/emit.h"
#include "runtime/ops/elements.h"
#include "runtime/ops/log_sums.h"

/* The most columns that are worked on together, and rows whose elements take turns, since those of a row wait for each
 * other. */
enum { BLOCK = 64, AT_ONCE = 4 };

#include "materialize/kernels/templates/as_float32.h"
#define ZC_LEAST_EXPONENT ((float)ZC_LEAST_EXPONENT_FLOAT32)
#include "materialize/kernels/elements/logsumexp_tmpl.h"
#undef ZC_D
#undef ZC_T
#undef ZC_LEAST_EXPONENT
#include "materialize/kernels/templates/as_float64.h"
#define ZC_LEAST_EXPONENT ((double)ZC_LEAST_EXPONENT_FLOAT64)
#include "materialize/kernels/elements/logsumexp_tmpl.h"
