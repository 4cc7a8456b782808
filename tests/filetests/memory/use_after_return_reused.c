// Other calls have variables of their own where the dead one was.
static int *kept;

static int work(int n) {
  int values[4] = {n, n, n, n};
  return n ? work(n - 1) + values[n & 3] : 0;
}

static void keep(void) {
  int values[4] = {1, 2, 3, 4};
  kept = values;
}

int main(void) {
  keep();
  int n = work(5);
  return *kept + n; //~ use-after-return
}
