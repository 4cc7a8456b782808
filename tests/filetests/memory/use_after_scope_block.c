int main(int argc, char **argv) {
  int *p;
  {
    int inner[2] = {1, 2};
    p = inner;
  }
  return *p; //~ use-after-scope
}
