#include <math.h>

long double sqrtl(long double x)
{
	return __builtin_elementwise_sqrt(x);
}
