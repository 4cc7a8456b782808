// C11 atomics of all sizes: sums, a spin lock, a stack without locks, compare-and-exchange loops, floats.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, ROUNDS = 30000 };
struct node { struct node *next; };

static atomic_char sum8;
static atomic_short sum16;
static atomic_int sum32;
static atomic_llong sum64;
static atomic_uint bits, largest;
static _Atomic double halves;
static _Atomic(struct node *) stack;
static atomic_flag lock = ATOMIC_FLAG_INIT;
static long guarded;
static struct node nodes[THREADS][ROUNDS];

static void *work(void *argument) {
  struct node *own = argument;
  int number = (int)((own - nodes[0]) / ROUNDS);
  for (int i = 0; i < ROUNDS; i++) {
    sum8++;
    sum16 += 3;
    atomic_fetch_add_explicit(&sum32, 1, memory_order_relaxed);
    atomic_fetch_sub(&sum64, 1000000000000LL);
    atomic_fetch_or(&bits, 1u << (number * 4 + i % 4));
    unsigned seen = atomic_load(&largest), mine = (unsigned)(i * THREADS + number);
    while (seen < mine && !atomic_compare_exchange_weak(&largest, &seen, mine)) continue;
    halves += 0.5;
    own[i].next = atomic_load(&stack);
    while (!atomic_compare_exchange_weak(&stack, &own[i].next, &own[i])) continue;
    while (atomic_flag_test_and_set(&lock)) continue;
    guarded++;
    atomic_flag_clear(&lock);
  }
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, work, nodes[i]);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
  long length = 0;
  for (struct node *node = stack; node; node = node->next) length++;
  printf("%d %d %d %lld %x %u %.1f %ld %ld\n", sum8, sum16, sum32, sum64, bits, largest, halves, length, guarded);
  return sum32 != THREADS * ROUNDS || length != THREADS * ROUNDS || guarded != THREADS * ROUNDS;
}
