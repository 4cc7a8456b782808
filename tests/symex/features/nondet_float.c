// Floats of the competition, and an assumption about them.
//@ trigger: nondet_float="\x00\x00\x20\x41" nondet_double="\x00\x00\x00\x00\x00\x00\x04\xc0"
//@ benign: nondet_float="\x00\x00\x20\x40" nondet_double="\x00\x00\x00\x00\x00\x00\x04\xc0"
float __VERIFIER_nondet_float(void);
double __VERIFIER_nondet_double(void);
void __VERIFIER_assume(int);
void __VERIFIER_error(void);

int main(void) {
  float f = __VERIFIER_nondet_float();
  double d = __VERIFIER_nondet_double();
  __VERIFIER_assume(f > 1.0f && f < 100.0f);
  __VERIFIER_assume(d < 0.0 && d > -3.0);
  if (f + d == 7.5) __VERIFIER_error(); //~ abort
  return 0;
}
