// The slope of a line through two points that were checked to differ.
//@ trigger: nondet_int=i32:-9 nondet_int=i32:1 nondet_int=i32:-9 nondet_int=i32:2
//@ benign: nondet_int=i32:-9 nondet_int=i32:1 nondet_int=i32:3 nondet_int=i32:2
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);
int main(void) {
  int x1 = __VERIFIER_nondet_int(), y1 = __VERIFIER_nondet_int();
  int x2 = __VERIFIER_nondet_int(), y2 = __VERIFIER_nondet_int();
  __VERIFIER_assume(x1 > -1000 && x1 < 1000 && x2 > -1000 && x2 < 1000);
  __VERIFIER_assume(y1 > -1000 && y1 < 1000 && y2 > -1000 && y2 < 1000);
  if (x1 == x2 && y1 == y2) return 1;
  int slope = (y2 - y1) / (x2 - x1); //~ division-by-zero
  return slope == 7;
}
