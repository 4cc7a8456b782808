static double twice(double x) {
  return 2 * x;
}

int main(void) {
  double (*function)(long) = (double (*)(long))twice;
  return (int)function(1); //~ bad-function-pointer
}
