"""The arithmetic that docs/numerics/functions.md is written in: IEEE-754 by whole numbers.

A float is kept as the bits of its value in Python's float, which holds every float32 and float64. Sums, products and fused
multiply-adds are computed exactly as whole numbers times a power of 2, and rounded by one function; quotients and roots as
whole numbers with a remainder. Nothing here is the machine's floating-point arithmetic.
"""

import math
import struct


class Format:
    """A binary format of IEEE-754."""

    def __init__(self, name, digits, least, most, code, bits_code):
        self.name, self.digits, self.least, self.most, self.code, self.bits_code = name, digits, least, most, code, bits_code

    def rounded(self, n, e, is_inexact=False, negative=False):
        """n 2^e, and a bit more where it is inexact, to the nearest float, ties to even. `negative` is the sign of a zero."""
        if n < 0:
            n, negative = -n, True
        if n == 0:
            return -0.0 if negative else 0.0
        drop = max(n.bit_length() - self.digits, self.least - e)
        if drop > 0:
            rest, half = n & ((1 << drop) - 1), 1 << (drop - 1)
            n, e = n >> drop, e + drop
            n += rest > half or (rest == half and (is_inexact or n & 1))
        value = math.inf if n.bit_length() + e > self.most else math.ldexp(n, e)
        return -value if negative else value

    def bits(self, value):
        return struct.unpack(self.bits_code, struct.pack(self.code, value))[0]

    def of_bits(self, n):
        return struct.unpack(self.code, struct.pack(self.bits_code, n))[0]


FLOAT32 = Format("float32", 24, -149, 128, "<f", "<I")
FLOAT64 = Format("float64", 53, -1074, 1024, "<d", "<Q")


def parts(x):
    """(n, e) with x = n 2^e."""
    n, d = x.as_integer_ratio()
    return n, 1 - d.bit_length()


def is_negative(x):
    return math.copysign(1, x) < 0


def exact_sum(f, x, y, negative):
    """(n 2^e) + (m 2^k) of x = (n, e) and y = (m, k), rounded; `negative` is the sign of a zero."""
    (n, e), (m, k) = x, y
    low = min(e, k)
    return f.rounded((n << (e - low)) + (m << (k - low)), low, negative=negative)


def fused(f, x, y, z):
    if not (math.isfinite(x) and math.isfinite(y)):
        product_is_infinite = not (math.isnan(x) or math.isnan(y) or x == 0 or y == 0)
        if not product_is_infinite or math.isnan(z):
            return math.nan
        value = math.copysign(math.inf, math.copysign(1, x) * math.copysign(1, y))
        return math.nan if z == -value else value
    if not math.isfinite(z):
        return z
    (n, e), (m, k) = parts(x), parts(y)
    negative = is_negative(x) != is_negative(y)
    # An exact zero of terms with opposite signs is +0; of equal signs it keeps theirs.
    is_product_zero = n * m == 0
    sign_of_zero = negative and is_negative(z) if is_product_zero and z == 0 else False
    return exact_sum(f, (n * m, e + k), parts(z), sign_of_zero)


def quotient(f, x, y):
    negative = is_negative(x) != is_negative(y)
    if math.isnan(x) or math.isnan(y) or (x == 0 and y == 0) or (math.isinf(x) and math.isinf(y)):
        return math.nan
    if math.isinf(x) or y == 0:
        return -math.inf if negative else math.inf
    if math.isinf(y) or x == 0:
        return -0.0 if negative else 0.0
    (n, e), (m, k) = parts(abs(x)), parts(abs(y))
    shift = 2 * f.digits + 4 + m.bit_length()
    whole, rest = divmod(n << shift, m)
    return f.rounded(whole << 1 | (rest != 0), e - k - shift - 1, negative=negative)


def root(f, x):
    if math.isnan(x) or x < 0:
        return math.nan
    if x == 0 or math.isinf(x):
        return x
    n, e = parts(x)
    shift = 2 * f.digits + 4 + (e & 1)
    whole = math.isqrt(n << shift)
    return f.rounded(whole << 1 | (whole * whole != n << shift), ((e - shift) >> 1) - 1)


class Real:
    """A float32 or a float64. Numbers of Python that it meets are literals: they take its type."""

    __slots__ = ("value",)
    format = None

    def __init__(self, value):
        self.value = value.value if isinstance(value, Real) else value

    @classmethod
    def of(cls, x):
        """x rounded to this type."""
        x = x.value if isinstance(x, Real) else x
        if isinstance(x, int):
            return cls(cls.format.rounded(x, 0))
        return cls(cls.format.rounded(*parts(x), negative=is_negative(x)) if math.isfinite(x) else x)

    def other(self, x):
        if isinstance(x, Real):
            if type(x) is not type(self):
                raise TypeError(f"{self.format.name} meets {x.format.name}")
            return x.value
        literal = type(self).of(x).value
        if literal != x and x == x and not math.isinf(literal) and self.format is FLOAT64:
            raise ValueError(f"{x} is no number of this type")
        return literal

    def plus(self, x, y):
        if not (math.isfinite(x) and math.isfinite(y)):
            return type(self)(math.nan if x != x or y != y or x == -y else y if math.isinf(y) else x)
        negative = is_negative(x) and is_negative(y)
        return type(self)(exact_sum(self.format, parts(x), parts(y), negative))

    def __add__(self, x):
        return self.plus(self.value, self.other(x))

    __radd__ = __add__  # of two numbers; the sum is the same

    def __sub__(self, x):
        return self.plus(self.value, -self.other(x))

    def __rsub__(self, x):
        return self.plus(self.other(x), -self.value)

    def __mul__(self, x):
        x, y = self.value, self.other(x)
        if not (math.isfinite(x) and math.isfinite(y)):
            return type(self)(fused(self.format, x, y, 0.0))
        (n, e), (m, k) = parts(x), parts(y)
        return type(self)(self.format.rounded(n * m, e + k, negative=is_negative(x) != is_negative(y)))

    __rmul__ = __mul__

    def __truediv__(self, x):
        return type(self)(quotient(self.format, self.value, self.other(x)))

    def __rtruediv__(self, x):
        return type(self)(quotient(self.format, self.other(x), self.value))

    def __neg__(self):
        return type(self)(-self.value)

    def __abs__(self):
        return type(self)(abs(self.value))

    def __eq__(self, x):
        return self.value == self.other(x)

    def __ne__(self, x):
        return self.value != self.other(x)

    def __lt__(self, x):
        return self.value < self.other(x)

    def __le__(self, x):
        return self.value <= self.other(x)

    def __gt__(self, x):
        return self.value > self.other(x)

    def __ge__(self, x):
        return self.value >= self.other(x)

    __hash__ = None

    def __repr__(self):
        return f"{self.format.name}({self.value.hex()})"


class float32(Real):
    __slots__ = ()
    format = FLOAT32


class float64(Real):
    __slots__ = ()
    format = FLOAT64


class Point:
    """A complex number: two reals of one type."""

    def __init__(self, x, y):
        kind = type(x) if isinstance(x, Real) else type(y) if isinstance(y, Real) else float64
        self.real, self.imag = kind.of(x), kind.of(y)

    def __eq__(self, x):
        return self.real == x and self.imag == 0

    __hash__ = None


def as_complex(kind):
    def convert(z):
        return Point(kind.of(z.real), kind.of(z.imag))

    return convert


def whole(width, signed):
    """Modulo 2^width."""

    def convert(n):
        n %= 1 << width
        return n - (1 << width) if signed and n >> (width - 1) else n

    return convert


def of_two(x, y):
    """The type that two numbers share."""
    return type(x) if isinstance(x, Real) else type(y)


def fma(x, y, z):
    kind = next(type(v) for v in (x, y, z) if isinstance(v, Real))
    return kind(fused(kind.format, *(kind.of(v).value if not isinstance(v, Real) else kind(0.0).other(v) for v in (x, y, z))))


def horner(z, *coefficients):
    kind, exact = type(z), [float.fromhex(c) for c in coefficients]
    p = kind(exact[0])
    for c in exact[1:]:
        p = fma(p, z, kind(c))
    return p


def fmod(x, y):
    kind = of_two(x, y)
    a, b = kind.of(x).value, kind.of(y).value
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or b == 0:
        return kind(math.nan)
    if math.isinf(b) or a == 0:
        return kind(a)
    (n, e), (m, k) = parts(abs(a)), parts(abs(b))
    low = min(e, k)
    return kind(kind.format.rounded((n << (e - low)) % (m << (k - low)), low, negative=is_negative(a)))


def arctangent_of_inverse(n, bits):
    """2^bits atan(1 / n)"""
    power, total, k = (1 << bits) // n, 0, 0
    while power:
        total += -(power // (2 * k + 1)) if k % 2 else power // (2 * k + 1)
        power, k = power // (n * n), k + 1
    return total


def two_over_pi(n, bits=1400):
    """The whole part of 2^n 2/pi, by Machin's formula."""
    if n < 0:
        return 0
    pi = 4 * (4 * arctangent_of_inverse(5, 2 * bits) - arctangent_of_inverse(239, 2 * bits))
    return ((2 << (3 * bits)) // pi) >> (bits - n)


def sqrt(x):
    return type(x)(root(x.format, x.value))


def floor(x):
    return x if not math.isfinite(x.value) or x.value == 0 else type(x)(math.copysign(float(math.floor(x.value)), x.value))


def copysign(x, y):
    kind = of_two(x, y)
    return kind(math.copysign(kind.of(x).value, kind.of(y).value))


NAMES = {
    "float32": float32.of, "float64": float64.of, "int32": whole(32, True), "uint32": whole(32, False), "int64": whole(64, True),
    "uint64": whole(64, False), "point": Point, "complex64": as_complex(float32), "complex128": as_complex(float64),
    "bits64": lambda x: FLOAT64.bits(float64.of(x).value), "from_bits64": lambda n: float64(FLOAT64.of_bits(n % 2**64)),
    "bits32": lambda x: FLOAT32.bits(float32.of(x).value), "from_bits32": lambda n: float32(FLOAT32.of_bits(n % 2**32)),
    "exponent32": lambda n: whole(32, True)(n << 23), "integer": lambda x: int(x.value), "number": float.fromhex, "inf": math.inf, "nan": math.nan,
    "fma": fma, "horner": horner, "sqrt": sqrt, "floor": floor, "fmod": fmod, "copysign": copysign, "two_over_pi": two_over_pi,
}  # fmt: skip
