// What a real stack would hide: the write hits the variable beside.
int main(int argc, char **argv) {
  char a[8] = "1234567", b[8] = "abcdefg";
  b[argc * 8] = 'x'; //~ out-of-bounds-write
  return a[0] + b[0];
}
