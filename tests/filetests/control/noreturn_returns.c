__attribute__((noreturn)) static void stop(int n) {
  if (n)
    __builtin_trap();
} //~ unreachable

int main(int argc, char **argv) {
  stop(argc - 1);
}
