/* The price of an Asian call option, by simulated paths of its share: a payment on the mean of the prices of a year. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "examples/input.h"

enum { STEPS = 50 };

static const double start = 100, strike = 105, rate = 0.03, volatility = 0.2;

int main(int argc, char **argv)
{
    const int paths = program_size(argc, argv, 2000, 100000);
    double *normal = zeros((size_t)paths * STEPS * sizeof *normal);
    fill_normal(normal, (size_t)paths * STEPS, 1);
    const double drift = (rate - volatility * volatility / 2) / STEPS, scale = volatility / sqrt(STEPS);
    double sum = 0, squares = 0;
    for (int i = 0; i < paths; i++) {
        double logarithm = 0, prices = 0;
        for (int t = 0; t < STEPS; t++) {
            logarithm += drift + scale * normal[i * STEPS + t];
            prices += start * exp(logarithm);
        }
        const double mean = prices / STEPS, payment = mean > strike ? exp(-rate) * (mean - strike) : 0;
        sum += payment;
        squares += payment * payment;
    }
    const double price = sum / paths;
    printf("price %.9f\nerror %.9f\n", price, sqrt((squares / paths - price * price) / paths));
    free(normal);
    return 0;
}
