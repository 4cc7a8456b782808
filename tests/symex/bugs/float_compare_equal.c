// A price that is a multiple of ten cents is expected to be one as a float too.
//@ trigger: nondet_int=i32:3
//@ benign: nondet_int=i32:2
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);
void __VERIFIER_assert(int condition);
void reach_error(void);
void __VERIFIER_assert(int condition) {
  if (!condition) reach_error(); //~ abort
}

int main(void) {
  int dimes = __VERIFIER_nondet_int();
  __VERIFIER_assume(dimes >= 0 && dimes <= 6);
  double sum = 0;
  for (int i = 0; i < dimes; i++) sum += 0.1;
  __VERIFIER_assert(dimes > 5 || dimes == 4 || sum == dimes / 10.0);
  return 0;
}
