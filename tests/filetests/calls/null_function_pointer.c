static int (*callback)(int);

int main(void) {
  return callback(1); //~ bad-function-pointer
}
