"""Universal functions."""
# Made by python/declare.py from python/declared/elementwise.toml.

from .._ufunc import get as _get

__all__ = [
    "abs", "absolute", "acos", "acosh", "add", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "asin", "asinh",
    "atan", "atan2", "atanh", "bitwise_and", "bitwise_count", "bitwise_invert", "bitwise_left_shift", "bitwise_not", "bitwise_or",
    "bitwise_right_shift", "bitwise_xor", "cbrt", "ceil", "conj", "conjugate", "copysign", "cos", "cosh", "deg2rad", "degrees", "divide",
    "divmod", "equal", "exp", "exp2", "expm1", "fabs", "float_power", "floor", "floor_divide", "fmax", "fmin", "fmod", "frexp", "gcd",
    "greater", "greater_equal", "heaviside", "hypot", "invert", "isfinite", "isinf", "isnan", "isnat", "lcm", "ldexp", "left_shift", "less",
    "less_equal", "log", "log10", "log1p", "log2", "logaddexp", "logaddexp2", "logical_and", "logical_not", "logical_or", "logical_xor",
    "maximum", "minimum", "mod", "modf", "multiply", "negative", "nextafter", "not_equal", "positive", "pow", "power", "rad2deg", "radians",
    "reciprocal", "remainder", "right_shift", "rint", "sign", "signbit", "sin", "sinh", "spacing", "sqrt", "square", "subtract", "tan",
    "tanh", "true_divide", "trunc",
]


absolute = _get("absolute")
absolute.__doc__ = "The distance of each element from 0."


add = _get("add")
add.__doc__ = "The sums of elements."


arccos = _get("arccos")
arccos.__doc__ = "The angles whose cosines are given."


arccosh = _get("arccosh")
arccosh.__doc__ = "The inverse of the hyperbolic cosine."


arcsin = _get("arcsin")
arcsin.__doc__ = "The angles whose sines are given."


arcsinh = _get("arcsinh")
arcsinh.__doc__ = "The inverse of the hyperbolic sine."


arctan = _get("arctan")
arctan.__doc__ = "The angles whose tangents are given."


arctan2 = _get("arctan2")
arctan2.__doc__ = "The angles of points from their y and x."


arctanh = _get("arctanh")
arctanh.__doc__ = "The inverse of the hyperbolic tangent."


bitwise_and = _get("bitwise_and")
bitwise_and.__doc__ = "The bits that are set in both elements."


bitwise_count = _get("bitwise_count")
bitwise_count.__doc__ = "The number of bits set in the absolute value of each element."


bitwise_or = _get("bitwise_or")
bitwise_or.__doc__ = "The bits that are set in either element."


bitwise_xor = _get("bitwise_xor")
bitwise_xor.__doc__ = "The bits that are set in one of two elements."


cbrt = _get("cbrt")
cbrt.__doc__ = "Cube roots."


ceil = _get("ceil")
ceil.__doc__ = "The smallest integers that are not below the elements."


conjugate = _get("conjugate")
conjugate.__doc__ = "Complex conjugates."


copysign = _get("copysign")
copysign.__doc__ = "Elements with the signs of other elements."


cos = _get("cos")
cos.__doc__ = "Cosines of angles in radians."


cosh = _get("cosh")
cosh.__doc__ = "Hyperbolic cosines."


deg2rad = _get("deg2rad")
deg2rad.__doc__ = "Converts angles from degrees to radians."


degrees = _get("degrees")
degrees.__doc__ = "Converts angles from radians to degrees."


divide = _get("divide")
divide.__doc__ = "The quotients of elements."


divmod = _get("divmod")
divmod.__doc__ = "The quotients, rounded down, and the remainders."


equal = _get("equal")
equal.__doc__ = "Whether elements are equal."


exp = _get("exp")
exp.__doc__ = "Powers of e."


exp2 = _get("exp2")
exp2.__doc__ = "Powers of 2."


expm1 = _get("expm1")
expm1.__doc__ = "Powers of e minus 1, exact near 0."


fabs = _get("fabs")
fabs.__doc__ = "The distance of each element from 0, as a floating number."


float_power = _get("float_power")
float_power.__doc__ = "Powers in double precision."


floor = _get("floor")
floor.__doc__ = "The largest integers that are not above the elements."


floor_divide = _get("floor_divide")
floor_divide.__doc__ = "The quotients, rounded down."


fmax = _get("fmax")
fmax.__doc__ = "The larger of two elements; the other one if one is NaN."


fmin = _get("fmin")
fmin.__doc__ = "The smaller of two elements; ignores NaN."


fmod = _get("fmod")
fmod.__doc__ = "Remainders with the signs of the dividends."


frexp = _get("frexp")
frexp.__doc__ = "The mantissas, from 0.5 up to 1, and the exponents of 2."


gcd = _get("gcd")
gcd.__doc__ = "Greatest common divisors."


greater = _get("greater")
greater.__doc__ = "Whether the first element is larger."


greater_equal = _get("greater_equal")
greater_equal.__doc__ = "Whether the first element is not smaller."


heaviside = _get("heaviside")
heaviside.__doc__ = "The Heaviside step function: 0 for negative elements, 1 for positive ones, a given value at 0."


hypot = _get("hypot")
hypot.__doc__ = "The length of the hypotenuse over two sides."


invert = _get("invert")
invert.__doc__ = "The elements with every bit turned, or the opposite of truth values."


isfinite = _get("isfinite")
isfinite.__doc__ = "Whether elements are neither infinite nor NaN."


isinf = _get("isinf")
isinf.__doc__ = "Whether elements are infinite."


isnan = _get("isnan")
isnan.__doc__ = "Whether elements are NaN."


isnat = _get("isnat")
isnat.__doc__ = "Whether dates are NaT (not a time)."


lcm = _get("lcm")
lcm.__doc__ = "Least common multiples."


ldexp = _get("ldexp")
ldexp.__doc__ = "The elements times powers of 2."


left_shift = _get("left_shift")
left_shift.__doc__ = "Elements shifted left by a number of bits."


less = _get("less")
less.__doc__ = "Whether the first element is smaller."


less_equal = _get("less_equal")
less_equal.__doc__ = "Whether the first element is not larger."


log = _get("log")
log.__doc__ = "Natural logarithms."


log10 = _get("log10")
log10.__doc__ = "Logarithms to base 10."


log1p = _get("log1p")
log1p.__doc__ = "Natural logarithms of 1 more than the elements, exact near 0."


log2 = _get("log2")
log2.__doc__ = "Logarithms to base 2."


logaddexp = _get("logaddexp")
logaddexp.__doc__ = "Logarithms of sums of powers of e."


logaddexp2 = _get("logaddexp2")
logaddexp2.__doc__ = "Logarithms to base 2 of sums of powers of 2."


logical_and = _get("logical_and")
logical_and.__doc__ = "Whether both elements are true."


logical_not = _get("logical_not")
logical_not.__doc__ = "Whether elements are false."


logical_or = _get("logical_or")
logical_or.__doc__ = "Whether one of two elements is true."


logical_xor = _get("logical_xor")
logical_xor.__doc__ = "Whether exactly one of two elements is true."


maximum = _get("maximum")
maximum.__doc__ = "The larger of two elements; NaN if one is NaN."


minimum = _get("minimum")
minimum.__doc__ = "The smaller of two elements; NaN if either is NaN."


modf = _get("modf")
modf.__doc__ = "The fractional and integer parts."


multiply = _get("multiply")
multiply.__doc__ = "The products of the elements."


negative = _get("negative")
negative.__doc__ = "The negated elements."


nextafter = _get("nextafter")
nextafter.__doc__ = "The next floating-point numbers in the direction of others."


not_equal = _get("not_equal")
not_equal.__doc__ = "Whether elements differ."


positive = _get("positive")
positive.__doc__ = "The elements as they are."


power = _get("power")
power.__doc__ = "Elements raised to powers."


rad2deg = _get("rad2deg")
rad2deg.__doc__ = "Converts angles from radians to degrees."


radians = _get("radians")
radians.__doc__ = "Converts angles from degrees to radians."


reciprocal = _get("reciprocal")
reciprocal.__doc__ = "The reciprocals of the elements."


remainder = _get("remainder")
remainder.__doc__ = "Remainders with the signs of the divisors."


right_shift = _get("right_shift")
right_shift.__doc__ = "Elements shifted right by a number of bits."


rint = _get("rint")
rint.__doc__ = "The nearest integers."


sign = _get("sign")
sign.__doc__ = "The signs of the elements: -1, 0 or 1."


signbit = _get("signbit")
signbit.__doc__ = "Whether the sign bit is set."


sin = _get("sin")
sin.__doc__ = "Sines of angles in radians."


sinh = _get("sinh")
sinh.__doc__ = "Hyperbolic sines."


spacing = _get("spacing")
spacing.__doc__ = "The distance of each element to the next floating number."


sqrt = _get("sqrt")
sqrt.__doc__ = "Square roots."


square = _get("square")
square.__doc__ = "The squares of the elements."


subtract = _get("subtract")
subtract.__doc__ = "The differences of elements."


tan = _get("tan")
tan.__doc__ = "Tangents of angles in radians."


tanh = _get("tanh")
tanh.__doc__ = "Hyperbolic tangents."


trunc = _get("trunc")
trunc.__doc__ = "The elements, truncated to integers."


abs = absolute


acos = arccos


acosh = arccosh


asin = arcsin


asinh = arcsinh


atan = arctan


atan2 = arctan2


atanh = arctanh


bitwise_invert = invert


bitwise_left_shift = left_shift


bitwise_not = invert


bitwise_right_shift = right_shift


conj = conjugate


mod = remainder


pow = power


true_divide = divide
