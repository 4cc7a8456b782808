static int count(int n) {
  return count(n + 1) + 1; //~ stack-overflow
}

int main(void) {
  return count(0);
}
