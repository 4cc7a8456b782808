//@ flags: --check-uninitialised
static int sum(int *values, int n) {
  int result = 0;
  for (int i = 0; i < n; i++)
    result += values[i]; //~ uninitialised-read
  return result;
}

int main(void) {
  int values[4] = {1};
  int others[4];
  others[0] = 1;
  return sum(values, 4) + sum(others, 2);
}
