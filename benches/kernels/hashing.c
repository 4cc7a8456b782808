/* A hash table of strings and a block hash. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef N
#define N 60000
#endif
struct node { struct node *next; unsigned count; char key[12]; };
static struct node *table[1024];
static uint32_t fnv(const char *s) {
  uint32_t h = 2166136261u;
  while (*s) h = (h ^ (unsigned char)*s++) * 16777619u;
  return h;
}
static void add(const char *key) {
  struct node **slot = &table[fnv(key) % 1024];
  for (struct node *n = *slot; n; n = n->next)
    if (!strcmp(n->key, key)) { n->count++; return; }
  struct node *n = malloc(sizeof *n);
  n->next = *slot; n->count = 1;
  strcpy(n->key, key);
  *slot = n;
}
static uint64_t rotate(uint64_t x, int n) { return x << n | x >> (64 - n); }
int main(void) {
  uint64_t state[4] = {1, 2, 3, 4};
  uint32_t x = 12345;
  char key[12];
  for (int i = 0; i < N; i++) {
    x = x * 1103515245u + 12345u;
    unsigned v = x >> 19, n = 0;
    do key[n++] = 'a' + v % 26; while (v /= 26);
    key[n] = 0;
    add(key);
    for (int r = 0; r < 4; r++) {
      state[0] += state[1]; state[3] = rotate(state[3] ^ state[0], 32);
      state[2] += state[3]; state[1] = rotate(state[1] ^ state[2], 24);
    }
  }
  unsigned distinct = 0, most = 0;
  for (int i = 0; i < 1024; i++)
    for (struct node *n = table[i]; n; n = n->next) { distinct++; if (n->count > most) most = n->count; }
  printf("%u %u %llx\n", distinct, most, (unsigned long long)(state[0] ^ state[2]));
  return 0;
}
