//@ flags: -O1 -g
// Locations keep the chain of calls that were inlined.
extern int source(int);
__attribute__((always_inline)) static inline int inner(int x) {
  return source(x) + 1;
}
__attribute__((always_inline)) static inline int middle(int x) { return inner(x) * 2; }
int outer(int x) {
  return middle(x) - source(3);
}
