/* The kernels of log sums against the formula that they stand for. */
#include <math.h>

#include "tests/materialize/kernels/tables.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

/* The sum of two log sums, in the C library's words. */
static double plain_sum(double most, double sum, double other, double other_sum)
{
    const double largest = most > other ? most : other;
    return sum * exp(most - largest) + other_sum * exp(other - largest);
}

Test(log_sums, are_joined_as_sums_of_exponentials)
{
    enum { SUMS = 100 };
    const zc_kernels *tested[MOST_TABLES];
    zc_random_begin("log sums");
    for (int t = list_tables(tested) - 1; t >= 0; t--) {
        double x[2 * SUMS], y[2 * SUMS], single[SUMS], got[2 * SUMS];
        for (int i = 0; i < 2 * SUMS; i += 2) {
            single[i / 2] = 40 * zc_random_double();
            x[i] = 40 * zc_random_double();
            y[i] = 40 * zc_random_double();
            x[i + 1] = 1 + 100 * zc_random_double();
            y[i + 1] = 1 + 100 * zc_random_double();
        }
        tested[t]->log_sums[ZC_FLOAT64].join(got, x, y, NULL, SUMS);
        for (int i = 0; i < 2 * SUMS; i += 2) {
            const double wanted = plain_sum(x[i], x[i + 1], y[i], y[i + 1]);
            cr_expect(got[i] == fmax(x[i], y[i]) && fabs(got[i + 1] - wanted) <= 4e-16 * wanted, "%s: %.17g, %.17g",
                      tested[t]->name, got[i + 1], wanted);
        }
        tested[t]->log_sums[ZC_FLOAT64].lift(y, single, NULL, NULL, SUMS);
        for (int i = 0; i < SUMS; i++)
            cr_expect(y[2 * i] == single[i] && y[2 * i + 1] == 1, "%s", tested[t]->name);
        tested[t]->log_sums[ZC_FLOAT64].join(got, x, y, NULL, SUMS);
        tested[t]->log_sums[ZC_FLOAT64].absorb(x, x, single, NULL, SUMS);
        cr_expect_arr_eq(got, x, sizeof got, "%s: an element is joined as its log sum", tested[t]->name);
    }
}
