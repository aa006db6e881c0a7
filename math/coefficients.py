#!/usr/bin/env python3
"""Writes math/double/polynomials.h and math/single/polynomials.h: polynomials and constants of the elementary functions.

A polynomial for double interpolates its function at Chebyshev's nodes of the interval, in 80 digits; its coefficients
are then rounded. That is near enough to the best approximation. One for float is the best one, by Remez's exchange,
where the error counts as much as a weight says, then rounded. The errors printed in the comments are those of the
rounded polynomial, measured on a grid. Needs mpmath. The tables are committed, so the library does not.
"""

from pathlib import Path

from mpmath import asin, atan, cbrt, cos, cosh, erf, erfc, exp, floor, frexp, ldexp, log, lu_solve, matrix, mp, mpf, nint, nstr
from mpmath import pi, polyval, sin, sinh, sqrt, tanh


mp.dps = 80


def near(z, function, limit):
    """function(z), but its limit where the formula would divide by nothing."""
    return mpf(limit) if abs(z) < mpf(10) ** -40 else function(z)


def log_rest(z):
    s = sqrt(z)
    return (log((1 + s) / (1 - s)) - 2 * s) / s**3


def log_rest_long(z):
    s = sqrt(z)
    return (log((1 + s) / (1 - s)) - 2 * s - 2 * s**3 / 3 - 2 * s**5 / 5) / s**7


def sin_rest(z):
    r = sqrt(z)
    return (sin(r) - r) / r**3


def asin_rest(z):
    t = sqrt(z)
    return (asin(t) - t) / t**3


def atan_rest(z):
    t = sqrt(z)
    return (atan(t) - t) / t**3


def erf_rest(z):
    t = sqrt(z)
    return erf(t) / t - 1


def tail(u):
    """e^(t^2/2) (t + 2) times the normal distribution's upper tail at t, with u = (t - 2) / (t + 2): near to constant."""
    t = 2 * (1 + u) / (1 - u)
    return erfc(t / sqrt(2)) / 2 * exp(t * t / 2) * (t + 2)


# A float whose error function is nearly a float.
ERF_MIDDLE = mpf(float.fromhex("0x1.19a352p+1"))


def erf_slope(z):
    return (erf(ERF_MIDDLE + z) - erf(ERF_MIDDLE)) / z


# Twice e^(t^2/2) T(t) (a + b t) is nearly 1 for every t: a so short that a sum with it less that is exact, and 1 less the largest value
# about as far off as the value at 0, with b for which it is a at infinity.
TAIL_A, TAIL_B = mpf(57) / 64, mpf(float.fromhex("0x1.1dc17p+0"))


def tail_rest(t):
    return erfc(t / sqrt(2)) * exp(t * t / 2) * (TAIL_A + TAIL_B * t) - 1


def exp_rest_of_twice(z):
    return (2 * (exp(z / 2) - 1) - z) / z**2


def tanh_rest(z):
    r = sqrt(z)
    return (tanh(r) - r) / r**3


def exp2_slope(z):
    return (2**z - 1) / z


def exp_rest(z):
    return (exp(z) - 1 - z) / z**2


def log1p_rest(z):
    return (log(1 + z) - z + z * z / 2) / z**3


# name, what it is, function, limit at 0, interval, degree, and what an error counts where it is not relative
POLYNOMIALS = [
    ("exp_rest", "(e^z - 1 - z) / z^2", lambda z: (exp(z) - 1 - z) / z**2, mpf(1) / 2, ("-0.34658", "0.34658"), 10),
    ("exp_rest_brief", "the same, where an error counts as one of e^z", exp_rest, mpf(1) / 2, ("-0.34658", "0.34658"), 9, lambda z: z * z + mpf("0.0001")),
    ("exp_rest_short", "the same for float32", lambda z: (exp(z) - 1 - z) / z**2, mpf(1) / 2, ("-0.34658", "0.34658"), 6),
    ("sinh_rest", "(sinh(r) - r) / r^3, z = r^2", lambda z: (sinh(sqrt(z)) - sqrt(z)) / sqrt(z) ** 3, mpf(1) / 6, (0, "0.1202"), 5),
    ("cosh_rest", "(cosh(r) - 1) / r^2, z = r^2", lambda z: (cosh(sqrt(z)) - 1) / z, mpf(1) / 2, (0, "0.1202"), 6),
    ("log_rest", "(log((1 + s) / (1 - s)) - 2s) / s^3, z = s^2", log_rest, mpf(2) / 3, (0, "0.02945"), 7),
    ("log_rest_short", "the same for float32", log_rest, mpf(2) / 3, (0, "0.02945"), 3),
    ("log_rest_long", "(log((1 + s) / (1 - s)) - 2s - 2s^3/3 - 2s^5/5) / s^7, z = s^2", log_rest_long, mpf(2) / 7, (0, "0.02945"), 6),
    ("sin_rest", "(sin(r) - r) / r^3, z = r^2", sin_rest, -mpf(1) / 6, (0, "0.617"), 6),
    ("sin_rest_short", "the same for float32", sin_rest, -mpf(1) / 6, (0, "0.617"), 3),
    ("cos_rest", "(cos(r) - 1 + z/2) / z^2, z = r^2", lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, mpf(1) / 24, (0, "0.617"), 6),
    ("cos_rest_short", "the same for float32", lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, mpf(1) / 24, (0, "0.617"), 3),
    ("asin_rest", "(asin(t) - t) / t^3, z = t^2", asin_rest, mpf(1) / 6, (0, "0.25"), 12),
    ("asin_rest_short", "the same for float32", asin_rest, mpf(1) / 6, (0, "0.25"), 6),
    ("atan_rest", "(atan(t) - t) / t^3, z = t^2", atan_rest, -mpf(1) / 3, (0, "0.1716"), 11),
    ("atan_rest_short", "the same for float32", atan_rest, -mpf(1) / 3, (0, "0.1716"), 5),
    ("erf_rest", "erf(t) / t - 1, z = t^2", erf_rest, 2 / sqrt(pi) - 1, (0, "0.7226"), 13),
    ("tail_scaled", "e^(t^2/2) (t + 2) / sqrt(2 pi) times the integral of e^(-s^2/2) from t on, z = (t - 2) / (t + 2)", tail, None, ("-0.251", "0.903"), 23),
    ("whole_tail_scaled", "the same from t = 0 on", tail, None, (-1, "0.903"), 28),
    ("log2_slope_short", "log2(1 + z) / z", lambda z: log(1 + z) / log(2) / z, 1 / log(2), ("-0.29290", "0.41422"), 13),
    ("exp2_short", "2^z", lambda z: 2**z, None, ("-0.5", "0.5"), 7),
    ("cbrt_start", "the cube root of z", cbrt, None, ("0.707", "1.4143"), 4),
]  # fmt: skip


# The same, and what an error counts: how it weighs in what the function is made of, but not nothing
SINGLE_POLYNOMIALS = [
    ("exp_rest_single", "(e^z - 1 - z) / z^2", exp_rest, mpf(1) / 2, ("-0.34658", "0.34658"), 4, lambda z: z * z + mpf("0.0005")),
    ("exp_rest_long_single", "the same", exp_rest, mpf(1) / 2, ("-0.34658", "0.34658"), 5, lambda z: z * z + mpf("0.0005")),
    ("exp_rest_of_twice_single", "(2 (e^(z/2) - 1) - z) / z^2", exp_rest_of_twice, mpf(1) / 4, ("-0.6933", "0.6933"), 5, lambda z: z * z / 2 + mpf("0.001")),
    ("exp2_rest_single", "(2^z - 1 - z ln 2) / z^2", lambda z: (2**z - 1 - z * log(2)) / z**2, log(2) ** 2 / 2, ("-0.5", "0.5"), 4, lambda z: z * z + mpf("0.001")),
    ("sinh_rest_single", "(sinh(r) - r) / r^3, z = r^2", lambda z: (sinh(sqrt(z)) - sqrt(z)) / sqrt(z) ** 3, mpf(1) / 6, (0, "0.1202"), 2, lambda z: z + mpf("0.001")),
    ("cosh_rest_single", "(cosh(r) - 1) / r^2, z = r^2", lambda z: (cosh(sqrt(z)) - 1) / z, mpf(1) / 2, (0, "0.1202"), 2, lambda z: z + mpf("0.001")),
    ("log1p_rest_single", "(log(1 + z) - z + z^2/2) / z^3", log1p_rest, mpf(1) / 3, ("-0.3251", "0.3501"), 7, lambda z: z * z + mpf("0.001")),
    ("log1p_rest_long_single", "the same", log1p_rest, mpf(1) / 3, ("-0.3101", "0.3801"), 8, lambda z: z * z + mpf("0.001")),
    ("log2_1p_rest_single", "the same for the logarithm to base 2", lambda z: log1p_rest(z) / log(2), 1 / (3 * log(2)), ("-0.3251", "0.3501"), 8, lambda z: z * z + mpf("0.001")),
    ("log10_1p_rest_single", "the same for the logarithm to base 10", lambda z: log1p_rest(z) / log(10), 1 / (3 * log(10)), ("-0.3251", "0.3501"), 8, lambda z: z * z + mpf("0.001")),
    ("tanh_rest_single", "(tanh(r) - r) / r^3, z = r^2", tanh_rest, -mpf(1) / 3, (0, "0.9604"), 6, lambda z: z + mpf("0.001")),
    ("exp2_slope_single", "(2^z - 1) / z, where an error counts as one of 2^z", exp2_slope, log(2), ("-0.5", "0.5"), 5, lambda z: (abs(z) + mpf("0.002")) / 2**z),
    ("erf_rest_single", "erf(t) / t - 1, z = t^2", erf_rest, 2 / sqrt(pi) - 1, (0, 1), 6, lambda z: 1),
    ("erf_slope_single", "(erf(m + z) - erf(m)) / z, where an error counts as one of erf", erf_slope, 2 / sqrt(pi) * exp(-(ERF_MIDDLE**2)), (1 - ERF_MIDDLE, mpf("3.92") - ERF_MIDDLE), 13, abs),
    ("sin_rest_single", "(sin(r) - r) / r^3, z = r^2", sin_rest, -mpf(1) / 6, (0, "0.6176"), 3, lambda z: z + mpf("0.001")),
    ("cos_rest_single", "(cos(r) - 1 + z/2) / z^2, z = r^2", lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, mpf(1) / 24, (0, "0.6176"), 2, lambda z: z * z + mpf("0.001")),
    ("atan_rest_single", "(atan(t) - t) / t^3, z = t^2", atan_rest, -mpf(1) / 3, (0, "0.25"), 4, lambda z: z + mpf("0.001")),
    ("inverse_cbrt_rest_single", "(1 / cbrt(1 - z) - 1) / z", lambda z: (1 / cbrt(1 - z) - 1) / z, mpf(1) / 3, ("-0.103", "0.102"), 2, lambda z: abs(z) + mpf("0.001")),
]  # fmt: skip


# name, what it is, function, end of the interval that begins with 0, degrees
RATIONALS = [
    ("tail_rest", "e^(z^2/2) times erfc(z / sqrt(2)) (a + b z), less 1,", tail_rest, "13.2", 5),
]


# Polynomials whose coefficients are rounded one after the other from the lowest power, the others fitted again each
# time: rounding the lowest ones alone would cost more than the polynomial's error.
ROUNDED_IN_TURN = ["tanh_rest_single", "exp2_slope_single", "erf_rest_single", "erf_slope_single"]


def interpolate(function, limit, low, high, degree):
    """Coefficients in powers of z, by Newton's divided differences at Chebyshev's nodes."""
    low, high = mpf(low), mpf(high)
    nodes = [(low + high) / 2 + (high - low) / 2 * cos(pi * (2 * i + 1) / (2 * degree + 2)) for i in range(degree + 1)]
    value = (lambda z: near(z, function, limit)) if limit is not None else function
    table = [value(z) for z in nodes]
    for width in range(1, degree + 1):
        for i in range(degree, width - 1, -1):
            table[i] = (table[i] - table[i - 1]) / (nodes[i] - nodes[i - width])
    powers = [table[degree]]  # highest first
    for i in range(degree - 1, -1, -1):
        shifted = powers + [mpf(0)]
        for k, c in enumerate(powers):
            shifted[k + 1] -= c * nodes[i]
        shifted[-1] += table[i]
        powers = shifted
    return powers, value


def solve(reference, grid, values, weights):
    """The polynomial, lowest power first, whose weighted error at the points has one size and alternating signs."""
    size = len(reference)
    matrix_of_powers, right = matrix(size, size), matrix(size, 1)
    for row, i in enumerate(reference):
        for k in range(size - 1):
            matrix_of_powers[row, k] = grid[i] ** k * weights[i]
        matrix_of_powers[row, size - 1] = (-1) ** row
        right[row] = values[i] * weights[i]
    return list(lu_solve(matrix_of_powers, right))[: size - 1]


def alternation(errors, count):
    """Where the error is largest between its changes of sign, `count` times in a row."""
    found = []
    for i, e in enumerate(errors):
        if found and (e > 0) == (errors[found[-1]] > 0):
            found[-1] = i if abs(e) > abs(errors[found[-1]]) else found[-1]
        else:
            found.append(i)
    while len(found) > count:
        found.pop(0 if abs(errors[found[0]]) < abs(errors[found[-1]]) else -1)
    assert len(found) == count, "the error does not alternate"
    return found


def minimax(function, limit, low, high, degree, weight):
    """Coefficients in powers of z whose largest weighted error is least, by Remez's exchange on a grid."""
    low, high, steps = mpf(low), mpf(high), 60 * (degree + 2)
    value = (lambda z: near(z, function, limit)) if limit is not None else function
    grid = [(low + high) / 2 - (high - low) / 2 * cos(pi * i / steps) for i in range(steps + 1)]
    values, weights = [value(z) for z in grid], [mpf(weight(z)) for z in grid]
    reference, best, least = [round(steps * i / (degree + 1)) for i in range(degree + 2)], None, mpf("inf")
    for _ in range(10):
        powers = solve(reference, grid, values, weights)[::-1]
        errors = [w * (polyval(powers, z) - y) for w, z, y in zip(weights, grid, values)]
        worst = max(abs(e) for e in errors)
        best, least = (powers, worst) if worst < least else (best, least)
        reference = alternation(errors, degree + 2)
    return best, value


def to_double(x):
    return float(x)


def to_single(x):
    mantissa, exponent = frexp(x)
    return float(ldexp(nint(ldexp(mantissa, 24)), exponent - 24))


def single_text(x):
    digits, exponent = to_single(x).hex().split("p")
    return digits.rstrip("0").rstrip(".") + "p" + exponent + "f"


def worst_error(powers, value, low, high, to_format, weight):
    """The largest error of the rounded polynomial, relative or weighted, as an exponent of 2."""
    worst = mpf(0)
    for i in range(201):
        z = mpf(low) + (mpf(high) - mpf(low)) * i / 200
        wanted = value(z) if i > 0 or mpf(low) != 0 else value(mpf(0))
        factor = weight(z) if weight is not None else 1 / wanted
        worst = max(worst, abs((polyval([mpf(to_format(c)) for c in powers], z) - wanted) * factor))
    return float(log(worst, 2))


def least(grid, values, weights, lowest, highest):
    """Coefficients of z^lowest ... z^highest whose weighted squares of errors are least, and then those of larger ones count more."""
    rows, factors = [[z**k for k in range(lowest, highest + 1)] for z in grid], list(weights)
    for _ in range(8):
        size = highest - lowest + 1
        left = matrix(size, size)
        right = matrix(size, 1)
        for row, value, factor in zip(rows, values, factors):
            for i in range(size):
                right[i] += row[i] * value * factor**2
                for k in range(size):
                    left[i, k] += row[i] * row[k] * factor**2
        found = list(lu_solve(left, right))
        errors = [abs(sum(c * r for c, r in zip(found, row)) - value) * w for row, value, w in zip(rows, values, weights)]
        largest = max(errors)
        factors = [f * (mpf("0.3") + e / largest) ** mpf("0.7") for f, e in zip(factors, errors)]
    return found


def rounded_in_turn(function, limit, low, high, degree, weight):
    """Coefficients in powers of z that are rounded, each one before those of higher powers are fitted."""
    low, high, points = mpf(low), mpf(high), 12 * (degree + 1)
    value = (lambda z: near(z, function, limit)) if limit is not None else function
    grid = [(low + high) / 2 - (high - low) / 2 * cos(pi * (2 * i + 1) / (2 * points)) for i in range(points)]
    rest, weights, rounded = [value(z) for z in grid], [mpf(weight(z)) for z in grid], []
    for power in range(degree + 1):
        rounded.append(mpf(to_single(least(grid, rest, weights, power, degree)[0])))
        rest = [r - rounded[-1] * z**power for r, z in zip(rest, grid)]
    return rounded[::-1], value


def rational(function, top, degree):
    """Numerator and denominator in powers of z from 0 to `top`, of one degree; the largest error is least, nearly: squares of errors are
    least, and then those of larger ones count more. The denominator begins with 1, and is rounded before the numerator is fitted."""
    sides = [cos(pi * (i + mpf("0.5")) / 121) for i in range(121)]
    grid = [5 * top * (1 - c) / (2 * top * (1 + c) + 10) for c in sides]  # Chebyshev's nodes of z / (z + 2.5)
    values, counts, below = [function(z) for z in grid], [mpf(1)] * len(grid), [mpf(1)] * len(grid)
    best, fewest = None, mpf("inf")
    for _ in range(40):
        size = 2 * degree + 1
        left, right = matrix(size, size), matrix(size, 1)
        for z, value, factor in zip(grid, values, [c / d**2 for c, d in zip(counts, below)]):
            row = [z**k for k in range(degree + 1)] + [-value * z**k for k in range(1, degree + 1)]
            for i in range(size):
                right[i] += factor * row[i] * value
                for k in range(size):
                    left[i, k] += factor * row[i] * row[k]
        found = list(lu_solve(left, right))
        upper, lower = found[degree::-1], found[:degree:-1] + [mpf(1)]
        below = [polyval(lower, z) for z in grid]
        errors = [abs(polyval(upper, z) / d - value) for z, d, value in zip(grid, below, values)]
        worst = max(errors)
        best, fewest = (lower, worst) if worst < fewest else (best, fewest)
        counts = [c * (mpf("0.2") + e / worst) for c, e in zip(counts, errors)]
    lower = [mpf(to_single(c)) for c in best]
    weights, rest, upper = [1 / polyval(lower, z) for z in grid], [value * polyval(lower, z) for z, value in zip(grid, values)], []
    for power in range(degree + 1):
        first = function(mpf(0)) if power == 0 else least(grid, rest, weights, power, degree)[0]
        upper.append(mpf(to_single(first)))
        rest = [r - upper[-1] * z**power for r, z in zip(rest, grid)]
    return upper[::-1], lower, max(abs(r * w) for r, w in zip(rest, weights))


def print_rational(name, what, function, top, degree):
    upper, lower, error = rational(function, mpf(top), degree)
    head = f"/* {what} is {name}_upper over {name}_lower; 0 <= z <= {top}, error 2^{float(log(error, 2)):.1f}. */"
    parts = [print_horner(head, f"{name}_upper_single", "float", [single_text(c) for c in upper])]
    return "\n".join(parts + [print_horner("", f"{name}_lower_single", "float", [single_text(c) for c in lower]).lstrip("\n")])


def print_horner(head, name, c_type, powers):
    fma = {"float": "fma_float32", "double": "fma_float64"}[c_type]
    lines = [head, f"static inline {c_type} {name}({c_type} z)", "{", f"    {c_type} p = {powers[0]};"]
    lines += [f"    p = {fma}(p, z, {c});" for c in powers[1:-1]]
    lines += [f"    return {fma}(p, z, {powers[-1]});", "}", ""]
    return "\n".join(lines)


def print_polynomial(name, what, function, limit, interval, degree, weight=None):
    if weight is None:
        powers, value = interpolate(function, limit, *interval, degree)
    else:
        powers, value = minimax(function, limit, *interval, degree, weight)
    error = worst_error(powers, value, *interval, to_double, weight)
    kind = "relative" if weight is None else "weighted"
    head = f"/* {what}; {interval[0]} <= z <= {interval[1]}, {kind} error 2^{error:.1f}. */"
    return print_horner(head, name, "double", [to_double(c).hex() for c in powers])


def print_single(name, what, function, limit, interval, degree, weight):
    fit = rounded_in_turn if name in ROUNDED_IN_TURN else minimax
    powers, value = fit(function, limit, *interval, degree, weight)
    error = worst_error(powers, value, *interval, to_single, weight)
    head = f"/* {what}; {nstr(mpf(interval[0]), 4)} <= z <= {nstr(mpf(interval[1]), 4)}, weighted error 2^{error:.1f}. */"
    return print_horner(head, name, "float", [single_text(c) for c in powers])


def bits_of_part(x, bits):
    """The leading bits of x."""
    mantissa, exponent = frexp(x)
    return ldexp(floor(ldexp(mantissa, bits)), exponent - bits)


def split(x, *widths):
    """x as a sum of parts of so many bits; the last one is a full double."""
    parts = []
    for width in widths:
        parts.append(bits_of_part(x, width))
        x -= parts[-1]
    return [float(p) for p in parts] + [float(x)]


CONSTANTS = [
    ("ln 2", ["LN2", "LN2_REST"], log(2), (53,)),
    ("1 / ln 2", ["LOG2_E", "LOG2_E_REST"], 1 / log(2), (53,)),
    ("1 / ln 10", ["LOG10_E", "LOG10_E_REST"], 1 / log(10), (53,)),
    ("1/3", ["THIRD", "THIRD_REST"], mpf(1) / 3, (53,)),
    ("1/5", ["FIFTH", "FIFTH_REST"], mpf(1) / 5, (53,)),
    ("pi/4", ["QUARTER_PI", "QUARTER_PI_REST"], pi / 4, (53,)),
    ("pi/2", ["HALF_PI_1", "HALF_PI_2", "HALF_PI_3"], pi / 2, (53, 53)),
    ("1 / sqrt(8)", ["1_OVER_SQRT_8", "1_OVER_SQRT_8_REST"], 1 / sqrt(mpf(8)), (53,)),
    ("2 sqrt(2/pi), and 0.044715 times it", ["GELU_1", "GELU_1_REST"], 2 * sqrt(2 / pi), (53,)),
    (None, ["GELU_3", "GELU_3_REST"], 2 * sqrt(2 / pi) * mpf("0.044715"), (53,)),
]  # fmt: skip


# As above, but the last part is a float
SINGLE_CONSTANTS = [
    ("1 / ln 2", ["LOG2_E", "LOG2_E_REST"], 1 / log(2), (24,)),
    ("ln 2", ["LN2", "LN2_REST"], log(2), (24,)),
    ("1 / ln 10", ["LOG10_E", "LOG10_E_REST"], 1 / log(10), (24,)),
    ("2 ln 2, its first part so short that whole multiples are exact", ["TWICE_LN2", "TWICE_LN2_REST"], 2 * log(2), (16,)),
    ("ln 2 / ln 10", ["LOG10_2", "LOG10_2_REST"], log(2) / log(10), (24,)),
    ("2 / pi", ["2_OVER_PI"], 2 / pi, ()),
    ("pi/2", ["HALF_PI_1", "HALF_PI_2", "HALF_PI_3"], pi / 2, (24, 24)),
    ("tan(3 pi/8)", ["TAN_3_PI_8"], 1 + sqrt(mpf(2)), ()),
    ("m, and its error function, which is nearly a float", ["ERF_MIDDLE"], ERF_MIDDLE, ()),
    (None, ["ERF_OF_MIDDLE"], erf(ERF_MIDDLE), ()),
    ("a and b, for which 1 / (a + b t) is nearly twice e^(t^2/2) T(t)", ["TAIL_A"], TAIL_A, ()),
    (None, ["TAIL_B"], TAIL_B, ()),
    ("2 sqrt(2/pi), its first part so short that a sum with it less that is exact; and 0.044715 times it", ["GELU_1", "GELU_1_REST"], 2 * sqrt(2 / pi), (16,)),
    (None, ["GELU_3", "GELU_3_REST"], 2 * sqrt(2 / pi) * mpf("0.044715"), (24,)),
]  # fmt: skip


def print_single_constants():
    lines = []
    for what, names, value, widths in SINGLE_CONSTANTS:
        lines += [f"/* {what}. */"] if what is not None else []
        lines += [f"#define ZC_SINGLE_{name} {single_text(part)}" for name, part in zip(names, split(value, *widths))]
    return "\n".join(lines) + "\n"


def print_constants():
    lines = []
    for what, names, value, widths in CONSTANTS:
        lines += [f"/* {what}. */"] if what else []
        lines += [f"#define ZC_{name} {part.hex()}" for name, part in zip(names, split(value, *widths))]
        lines.append("" if what != CONSTANTS[-2][0] else None)
    for what, name, value in [("2/pi", "2_OVER_PI", 2 / pi), ("sqrt(2)", "SQRT_2", sqrt(2)), ("tan(pi/8)", "TAN_PI_8", sqrt(2) - 1),
                              ("cube roots of 2 and of 1/2", "CBRT_2", cbrt(2)), (None, "CBRT_HALF", cbrt(mpf(1) / 2))]:  # fmt: skip
        lines += [f"/* {what}. */"] if what else []
        lines.append(f"#define ZC_{name} {float(value).hex()}")
    mp.dps = 500
    digits = int(floor(ldexp(2 / pi, 1280)))
    mp.dps = 80
    words = [f"0x{digits >> (1280 - 32 * (i + 1)) & 0xFFFFFFFF:08x}" for i in range(40)]
    lines += ["", "/* The bits of 2/pi behind the point, from the highest. */", "static const uint32_t two_over_pi_bits[] = {"]
    lines += ["    " + ", ".join(words[i : i + 8]) + "," for i in range(0, 40, 8)]
    lines += ["};", ""]
    return "\n".join(line for line in lines if line is not None)


HEAD = """/*
 * Polynomials and constants of {whose}, made by coefficients.py: do not edit. Coefficients by Horner's
 * rule with fused multiply-adds, from the highest power.
 */
#ifndef ZC_MATH_{guard}_H
#define ZC_MATH_{guard}_H

"""


def write(name, whose, text):
    head = HEAD.format(whose=whose, guard=name.upper().replace("/", "_"))
    (Path(__file__).parent / f"{name}.h").write_text(head + text + "\n#endif\n")


def main():
    text = "#include <stdint.h>\n\n#include \"math/floats/fused.h\"\n\n" + print_constants() + "\n" + "\n".join(print_polynomial(*row) for row in POLYNOMIALS)
    write("double/polynomials", "the elementary functions", text)
    text = "#include \"math/floats/fused.h\"\n\n" + print_single_constants() + "\n" + "\n".join(print_single(*row) for row in SINGLE_POLYNOMIALS)
    text += "\n" + "\n".join(print_rational(*row) for row in RATIONALS)
    write("single/polynomials", "float32's own elementary functions", text)


if __name__ == "__main__":
    main()
