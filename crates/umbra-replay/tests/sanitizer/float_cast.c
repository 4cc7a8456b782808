int main(int argc, char **argv) {
  volatile double d = 1e20 * argc;
  return (int)d == 0; //~ float-cast-overflow
}
