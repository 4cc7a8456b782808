int main(int argc, char **argv) {
  if (argc)
    __builtin_trap(); //~ trap
  return 0;
}
