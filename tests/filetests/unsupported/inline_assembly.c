static int add(int a, int b) {
  __asm__("addl %1, %0" : "+r"(a) : "r"(b)); //~ unsupported
  return a;
}

int main(int argc, char **argv) {
  return add(argc, 2);
}
