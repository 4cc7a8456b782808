// An array of variable size is filled up to its neighbour's size.
//@ trigger: nondet_int=i32:3 nondet_int=i32:5
//@ benign: nondet_int=i32:5 nondet_int=i32:3
int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();
  if (n < 1 || n > 6 || m < 1 || m > 6 || n + m != 8) return 1;
  int first[n], second[m];
  for (int i = 0; i < m; i++) second[i] = i;
  for (int i = 0; i < n; i++) first[i] = 0;
  int sum = 0;
  for (int i = 0; i < m - (m == 4); i++) sum += second[i] + (i < 4 ? first[i] : 0); //~ out-of-bounds-read
  return sum == 99;
}
