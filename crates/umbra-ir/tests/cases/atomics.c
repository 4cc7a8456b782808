// One thread: atomics are what their names say.
int exchange(int *p, int v) { return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST); }
int add(int *p, int v) { return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST); }
int nand(int *p, int v) { return __atomic_fetch_nand(p, v, __ATOMIC_SEQ_CST); }
int max(int *p, int v) { return __atomic_fetch_max(p, v, __ATOMIC_SEQ_CST); }
_Bool swap(long *p, long *e, long v) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  return __atomic_compare_exchange_n(p, e, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
long load(long *p) { return __atomic_load_n(p, __ATOMIC_ACQUIRE); }
