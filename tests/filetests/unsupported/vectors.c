typedef int four __attribute__((vector_size(16)));

static four add(four a, four b) {
  return a + b;
}

int main(int argc, char **argv) {
  four a = {argc, 2, 3, 4}; //~ unsupported
  return add(a, a)[0];
}
