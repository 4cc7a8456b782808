/* Products and quotients of complex numbers: what compilers call from their own library. Infinities and NaNs are as
 * annex G of the C standard wants them. */
#include <math.h>

/* An infinite part becomes 1, a finite one 0, with its sign: the direction of an infinite number. */
#define DIRECTION(S, x) copysign##S(isinf(x) ? 1 : 0, x)
/* A NaN becomes 0, with its sign. */
#define NUMBER(S, x) (isnan(x) ? copysign##S(0, x) : (x))

#define DEFINE(TYPE, MODE, S)                                                                        \
TYPE _Complex __mul##MODE##3(TYPE a, TYPE b, TYPE c, TYPE d)                                         \
{                                                                                                    \
	TYPE ac = a * c, bd = b * d, ad = a * d, bc = b * c;                                             \
	TYPE real = ac - bd, imaginary = ad + bc;                                                        \
	if (isnan(real) && isnan(imaginary)) {                                                           \
		int infinite = 0;                                                                            \
		if (isinf(a) || isinf(b)) {                                                                  \
			a = DIRECTION(S, a), b = DIRECTION(S, b);                                                \
			c = NUMBER(S, c), d = NUMBER(S, d);                                                      \
			infinite = 1;                                                                            \
		}                                                                                            \
		if (isinf(c) || isinf(d)) {                                                                  \
			c = DIRECTION(S, c), d = DIRECTION(S, d);                                                \
			a = NUMBER(S, a), b = NUMBER(S, b);                                                      \
			infinite = 1;                                                                            \
		}                                                                                            \
		if (!infinite && (isinf(ac) || isinf(bd) || isinf(ad) || isinf(bc))) {                       \
			a = NUMBER(S, a), b = NUMBER(S, b);                                                      \
			c = NUMBER(S, c), d = NUMBER(S, d);                                                      \
			infinite = 1;                                                                            \
		}                                                                                            \
		if (infinite) {                                                                              \
			real = (TYPE)INFINITY * (a * c - b * d);                                                 \
			imaginary = (TYPE)INFINITY * (a * d + b * c);                                            \
		}                                                                                            \
	}                                                                                                \
	return __builtin_complex(real, imaginary);                                                       \
}                                                                                                    \
                                                                                                     \
TYPE _Complex __div##MODE##3(TYPE a, TYPE b, TYPE c, TYPE d)                                         \
{                                                                                                    \
	int scale = 0;                                                                                   \
	TYPE exponent = logb##S(fmax##S(fabs##S(c), fabs##S(d)));                                        \
	if (isfinite(exponent)) {                                                                        \
		scale = -(int)exponent;                                                                      \
		c = scalbn##S(c, scale), d = scalbn##S(d, scale);                                            \
	}                                                                                                \
	TYPE square = c * c + d * d;                                                                     \
	TYPE real = scalbn##S((a * c + b * d) / square, scale);                                          \
	TYPE imaginary = scalbn##S((b * c - a * d) / square, scale);                                     \
	if (isnan(real) && isnan(imaginary)) {                                                           \
		if (square == 0 && (!isnan(a) || !isnan(b))) {                                               \
			real = copysign##S((TYPE)INFINITY, c) * a;                                               \
			imaginary = copysign##S((TYPE)INFINITY, c) * b;                                          \
		} else if ((isinf(a) || isinf(b)) && isfinite(c) && isfinite(d)) {                           \
			a = DIRECTION(S, a), b = DIRECTION(S, b);                                                \
			real = (TYPE)INFINITY * (a * c + b * d);                                                 \
			imaginary = (TYPE)INFINITY * (b * c - a * d);                                            \
		} else if (isinf(exponent) && exponent > 0 && isfinite(a) && isfinite(b)) {                  \
			c = DIRECTION(S, c), d = DIRECTION(S, d);                                                \
			real = 0 * (a * c + b * d);                                                              \
			imaginary = 0 * (b * c - a * d);                                                         \
		}                                                                                            \
	}                                                                                                \
	return __builtin_complex(real, imaginary);                                                       \
}

DEFINE(float, sc, f)
DEFINE(double, dc, )
DEFINE(long double, xc, l)
