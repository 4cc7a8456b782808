int main(int argc, char **argv) {
  long values[argc + 2];
  for (int i = 0; i < argc + 3; i++)
    values[i] = i; //~ out-of-bounds-write
  return (int)values[0];
}
