//@ flags: -O0 -g -std=gnu89 -w
// Calls need not agree with definitions, nor names with types.
int two();
int caller(int x) { undeclared(x, 1.0); return two(x) + two(1, 2, 3) + two(); }
int two(a, b) int a; char b; { return a + b; }
long through(void *p) { return ((long (*)(int, double))p)(1, 2.0); }
