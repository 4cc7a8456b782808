static const int limits[2] = {1, 2};

int main(int argc, char **argv) {
  int *p = (int *)limits;
  p[argc] = 3; //~ write-to-constant
  return 0;
}
