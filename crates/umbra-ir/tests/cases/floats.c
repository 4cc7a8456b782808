// Three formats, their constants and conversions.
float f(float x) { return -x * 1.5f; }
double d(double x, float y) { return x / y + 0.1; }
long double l(long double x, double y) { return x - y * 3.3L; }
long truncate(long double x) { return (long)x; }
unsigned u(double x) { return (unsigned)x; }
double back(unsigned long x, int y) { return (double)x + y; }
int compare(double a, double b) { return (a < b) + 2 * (a != b) + 4 * __builtin_isunordered(a, b); }
