// Structs, pointers, widths, switches, floats: each line printed depends on the loader's work.
#include <stdio.h>

struct pair { long a; int b; };
struct big { short head; int x[10]; struct pair p[2]; char tail; };
struct __attribute__((packed)) tight { char c; long l; short s : 5, t : 9; };
typedef _BitInt(65) odd;

static struct pair swap(struct pair p) { return (struct pair){p.b, (int)p.a}; }
static struct big fill(struct big b, int n) {
  for (int i = 0; i < 10; i++)
    b.x[i] = n * i - b.x[i];
  b.p[1] = swap((struct pair){n, n + 1});
  b.tail = 'z';
  return b;
}
static int twice(int x) { return 2 * x; }
static int negate(int x) { return -x; }
static int (*const table[])(int) = {twice, negate, twice};
static const char *const words[] = {"zero", "one", "two"};
static struct tight global = {'q', 1234567890123, -3, 200};
static int matrix[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};

static int classify(int c) {
  switch (c) {
  case 0 ... 9: return 1;
  case 'a': case 'e': case 'i': return 2;
  case -5: return 3;
  default: return c & 1 ? 4 : 5;
  }
}

static long collatz(long n) {
  long steps = 0;
  while (n != 1) {
    n = n % 2 ? 3 * n + 1 : n / 2;
    steps++;
  }
  return steps;
}

int main(void) {
  struct big b = {.head = 3, .x = {1, 2, 3}};
  struct big c = fill(b, 7);
  printf("%d %d %d %ld %d %d\n", b.x[2], c.x[2], c.x[9], c.p[1].a, c.p[1].b, c.tail);
  for (int i = 0; i < 3; i++)
    printf("%d %s %s\n", table[i](i + 5), words[i], words[2 - i] + 1);
  struct tight t = global;
  t.t -= 7;
  printf("%d %ld %d %d %lu\n", t.c, t.l, t.s, t.t, sizeof t);
  for (int i = -6; i < 12; i += 3)
    printf("%d ", classify(i * 7));
  printf("%ld\n", collatz(27));
  odd o = ((odd)1 << 63) * 2 - 5;
  __int128 w = (__int128)o * 1000003;
  printf("%lx %lx %d\n", (long)o, (long)(w >> 64), o < 0);
  int *row = matrix[1];
  printf("%d %d %d %ld\n", row[-1], *(*(matrix + 2) + 3), (&matrix[2][0])[1], &matrix[2][2] - row);
  float f = 1.1f;
  double d = 0;
  for (int i = 0; i < 20; i++) {
    d += f * i / 3;
    f = -f * 0.75f;
  }
  printf("%ld %d %d %d\n", (long)(d * 1e9), d < f, d != d, (int)f);
  union { double d; unsigned long u; } bits = {.d = d};
  printf("%lx\n", bits.u);
  int n = 5, vla[n + c.x[1]];
  for (int i = 0; i < n; i++)
    vla[i] = i << i;
  int sum = 0, overflow;
  for (int i = n - 1; i >= 0; i--)
    sum = sum * 31 + vla[i];
  printf("%d %d %d\n", sum, __builtin_add_overflow(sum, 2147483647, &overflow), overflow);
  unsigned char wrap = 250;
  wrap += 10;
  signed char narrow = (signed char)300;
  printf("%d %d %u\n", wrap, narrow, -1u >> (wrap & 7));
  return collatz(97) % 200;
}
