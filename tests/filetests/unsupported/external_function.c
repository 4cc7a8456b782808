//@ cc: -Wl,--unresolved-symbols=ignore-all
int elsewhere(int);

int main(int argc, char **argv) {
  return elsewhere(argc); //~ unsupported
}
