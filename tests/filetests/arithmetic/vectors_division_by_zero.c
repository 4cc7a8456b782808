// One lane is divided by zero.
typedef int four __attribute__((vector_size(16)));

int main(int argc, char **argv) {
  (void)argv;
  four a = {1, 2, 3, 4}, b = {argc, 1, argc - 1, 1};
  a /= b; //~ division-by-zero
  return a[2];
}
