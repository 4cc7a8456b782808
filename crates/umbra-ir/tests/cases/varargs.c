// A variadic function: the list is walked by plain loads.
int sum(int n, ...) {
  __builtin_va_list list, copy;
  __builtin_va_start(list, n);
  __builtin_va_copy(copy, list);
  int total = 0;
  while (n-- > 0)
    total += __builtin_va_arg(list, int);
  double last = __builtin_va_arg(copy, double);
  __builtin_va_end(copy);
  __builtin_va_end(list);
  return total + (int)last;
}
int call(void) { return sum(2, 3, 4.0, (char)5); }
