// Uses up time or memory in the way that the argument names, on symbolic standard input.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MIB (1 << 20)

static unsigned char in[4 * MIB];
static size_t length;
static volatile unsigned sink;
static unsigned char table[64 << 10];

// Every byte doubles the states.
static void states(void) {
  for (size_t i = 0;; i = (i + 1) % length)
    if (in[i] & 1 << sink++ % 8) table[i] = 1;
}

// Every state has a copy of what it changes.
static void copies(void) {
  char *own = malloc(MIB);
  for (size_t i = 0; i < 8 * length; i++) {
    memset(own, i, MIB);
    if (in[i / 8] & 1 << i % 8) own[i] = 1;
  }
}

static void many_copies(void) {
  for (size_t i = 0; i < 8 * length; i++) {
    char *own = malloc(100 << 10);
    memset(own, i, 100 << 10);
    if (in[i / 8] & 1 << i % 8) own[i] = 1;
  }
}

static void expressions(void) {
  uint64_t a = in[0], b = in[1];
  for (;;) {
    a = a * 6364136223846793005u + b;
    b = (b ^ a) / 3 + (a >> 7);
    in[2] = a;
  }
}

static void factors(void) {
  uint64_t a, b;
  memcpy(&a, in, 8);
  memcpy(&b, in + 8, 8);
  if (a > 1 && b > 1 && a < 1ull << 32 && b < 1ull << 32)
    if (a * b == 1000000016000000063u) puts("found");
}

static void divisions(void) {
  unsigned __int128 a, b;
  memcpy(&a, in, 16);
  memcpy(&b, in + 16, 16);
  for (int i = 0; i < 64; i++) {
    a = a / (b | 1) + b % (a | 3);
    if ((a * b ^ a) == 0x1234567) sink++;
  }
}

static void floats(void) {
  double x, y;
  memcpy(&x, in, 8);
  memcpy(&y, in + 8, 8);
  for (int i = 0; i < 20; i++) {
    if (x * y / 3 + sqrt(x) == y * y * 7 + i) sink++;
    x = x * y + i;
  }
}

static void outputs(void) {
  for (size_t i = 0;; i = (i + 1) % length) {
    write(1, table, sizeof table);
    if (in[i] == i) sink++;
  }
}

static void objects(void) {
  if (in[0] == 'x') return;
  while (malloc(16)) sink++;
}

static void large_object(void) {
  if (in[0] == 'x') return;
  char *all = malloc(260 * MIB);
  memset(all, 1, 260 * MIB);
}

static void lookups(void) {
  unsigned index = in[0];
  for (size_t i = 1; i < length; i++) {
    table[(index + i * 77) % sizeof table] = in[i];
    index = table[(in[i] * 251 + index) % sizeof table];
    if (index == 7) sink++;
  }
}

static void symbolic_copies(void) {
  unsigned char *other = malloc(length);
  for (;;) {
    for (size_t i = 0; i < length; i++) other[i] = in[i] + 1;
    memcpy(in, other, length);
  }
}

static int compare(const void *a, const void *b) {
  return *(const unsigned char *)a - *(const unsigned char *)b;
}

static void sorting(void) { qsort(in, length, 1, compare); }

static void recursion(size_t i) {
  char local[256];
  memset(local, i, sizeof local);
  if (in[i % length] & 1 << i % 8) recursion(i + 1);
  else recursion(i + 2);
  sink += local[3];
}

static void recursions(void) { recursion(0); }

static void formats(void) {
  in[length - 1] = 0;
  for (;;) sink += strtod((char *)in, 0) > 1 ? 1 : 2;
}

static void endless(void) {
  for (;;) sink++;
}

static void sizes(void) {
  unsigned size = in[0] | in[1] << 8;
  for (;;) {
    char *more = malloc(size);
    if (more) memset(more, 1, size);
  }
}

static void files(void) {
  for (size_t i = 0;; i++) {
    char name[16];
    snprintf(name, sizeof name, "f%zu", i);
    FILE *file = fopen(name, "w");
    if (!file) continue;
    fwrite(in, 1, length, file);
    fwrite(table, 1, sizeof table, file);
    fclose(file);
    if (in[i % length] == 'x') sink++;
  }
}

static void nothing(void) {}

#define WAY(name) { #name, name }

int main(int argc, char **argv) {
  static const struct { const char *name; void (*run)(void); } ways[] = {
    WAY(states), WAY(copies), WAY(many_copies), WAY(expressions), WAY(factors), WAY(divisions),
    WAY(floats), WAY(outputs), WAY(objects), WAY(large_object), WAY(lookups),
    WAY(symbolic_copies), WAY(sorting), WAY(recursions), WAY(formats), WAY(endless), WAY(sizes),
    WAY(files), WAY(nothing),
  };
  length = fread(in, 1, sizeof in, stdin);
  for (size_t i = 0; argc > 1 && i < sizeof ways / sizeof *ways; i++)
    if (!strcmp(argv[1], ways[i].name)) ways[i].run();
  return 0;
}
