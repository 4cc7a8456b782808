// Vectors of all sizes: arithmetic, comparisons, choices, lanes by number, shuffles, conversions, in memory and as arguments.
#include <stdio.h>
#include <string.h>

typedef int four __attribute__((vector_size(16)));
typedef int choosing __attribute__((ext_vector_type(4)));
typedef unsigned char sixteen __attribute__((vector_size(16)));
typedef short eight __attribute__((vector_size(16)));
typedef long two __attribute__((vector_size(16)));
typedef float floats __attribute__((vector_size(16)));
typedef double doubles __attribute__((vector_size(32)));
typedef signed char wide __attribute__((vector_size(64)));

static const four table[] = {{1, -2, 3, -4}, {5, 6, 7, 8}};

static void print(const char *name, four v) {
  printf("%s", name);
  for (int i = 0; i < 4; i++)
    printf(" %d", v[i]);
  puts("");
}

static four scaled(four v, int by) { return v * by; }

static unsigned long checksum(const void *bytes, unsigned long count) {
  unsigned long sum = 0;
  for (const unsigned char *at = bytes; count--; at++)
    sum = sum * 31 + *at;
  return sum;
}

int main(int argc, char **argv) {
  (void)argv;
  four a = table[argc & 1], b = {argc, 20, -30, 7};
  print("add", a + b);
  print("arithmetic", (a - b) * 3 / b % 5);
  print("bits", ((a & b) | (a ^ ~b)) << 2 >> 1);
  print("compare", (a < b) - (a == table[1]));
  choosing x = (choosing)a, y = (choosing)b;
  print("choose", (four)(x > y ? x * 2 : y));
  print("call", scaled(a, argc + 2));
  a[argc & 3] = 99;
  printf("lane %d\n", a[(argc + 1) & 3] + a[argc & 3]);
  print("shuffle", __builtin_shufflevector(a, b, 7, 0, 5, 2));

  sixteen bytes = (sixteen)a;
  bytes += (sixteen)(bytes > 100) & 3;
  print("bytes", (four)bytes);
  eight shorts = (eight)bytes * (eight){1, 2, 3, 4, 5, 6, 7, 8};
  two longs = (two)shorts;
  printf("longs %lx %lx\n", longs[0], longs[1]);
  printf("checksum %lx\n", checksum(&shorts, sizeof shorts));

  floats f = __builtin_convertvector(b, floats) / 3;
  doubles d = __builtin_convertvector(f, doubles);
  d = -d * (doubles){1, 0.5, 0.25, 0.125};
  printf("floats %g %g, doubles %g %g\n", f[0], f[3], d[1], d[2]);
  print("back", __builtin_convertvector(d, four));
  print("bits of floats", (four)f);

  wide many;
  memset(&many, argc, sizeof many);
  for (int i = 0; i < 64; i++)
    many[i] += i * i;
  wide other = many >> 1;
  many = __builtin_elementwise_max(many, other);
  many = __builtin_elementwise_add_sat(many, other);
  printf("wide %lx %d\n", checksum(&many, sizeof many), __builtin_reduce_add(a));
  return 0;
}
