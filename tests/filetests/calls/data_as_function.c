static int data[4] = {1, 2, 3, 4};

int main(void) {
  int (*function)(void) = (int (*)(void))data;
  return function(); //~ bad-function-pointer
}
