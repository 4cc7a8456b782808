//@ engine: no, each byte of what is allocated is watched
// Blocks pass from thread to thread, grow and are freed by others; none is given out twice.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 20000, SLOTS = 64 };
struct block { size_t size; unsigned char bytes[]; };
static _Atomic(struct block *) slots[SLOTS];
static atomic_int damaged;

static void check_and_free(struct block *block) {
  if (!block) return;
  for (size_t i = 1; i < block->size; i++)
    if (block->bytes[i] != block->bytes[0]) {
      damaged++;
      break;
    }
  free(block);
}

static void *work(void *argument) {
  unsigned seed = *(unsigned *)argument;
  for (int i = 0; i < ROUNDS; i++) {
    seed = seed * 1103515245u + 12345u;
    size_t size = 1 + (seed >> 16) % (i % 50 ? 200 : 200000);
    struct block *block = malloc(sizeof *block + size);
    block->size = size;
    memset(block->bytes, (int)(seed >> 8), size);
    if (seed & 1) {
      block = realloc(block, sizeof *block + 2 * size);
      memset(block->bytes + size, block->bytes[0], size);
      block->size = 2 * size;
    }
    check_and_free(atomic_exchange(&slots[(seed >> 10) % SLOTS], block));
  }
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  unsigned seeds[THREADS];
  for (unsigned i = 0; i < THREADS; i++) {
    seeds[i] = 77 * i + 5;
    pthread_create(&threads[i], 0, work, &seeds[i]);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
  for (int i = 0; i < SLOTS; i++) check_and_free(slots[i]);
  printf("%d damaged\n", damaged);
  return damaged != 0;
}
