/* Sorting: libc's qsort with a callback, a quicksort of our own, a heap. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifndef N
#define N 40000
#endif
static uint32_t a[N], b[N], c[N];
static int compare(const void *x, const void *y) {
  uint32_t p = *(const uint32_t *)x, q = *(const uint32_t *)y;
  return p < q ? -1 : p > q;
}
static void quick(uint32_t *v, int lo, int hi) {
  while (lo < hi) {
    uint32_t pivot = v[(lo + hi) / 2];
    int i = lo, j = hi;
    while (i <= j) {
      while (v[i] < pivot) i++;
      while (v[j] > pivot) j--;
      if (i <= j) { uint32_t t = v[i]; v[i++] = v[j]; v[j--] = t; }
    }
    quick(v, lo, j);
    lo = i;
  }
}
static void sift(uint32_t *v, int n, int i) {
  for (int child; (child = 2 * i + 1) < n; i = child) {
    if (child + 1 < n && v[child + 1] > v[child]) child++;
    if (v[i] >= v[child]) return;
    uint32_t t = v[i]; v[i] = v[child]; v[child] = t;
  }
}
int main(void) {
  uint32_t x = 1;
  for (int i = 0; i < N; i++) a[i] = b[i] = c[i] = x = x * 1664525u + 1013904223u;
  qsort(a, N, sizeof *a, compare);
  quick(b, 0, N - 1);
  for (int i = N / 2; i-- > 0;) sift(c, N, i);
  for (int n = N - 1; n > 0; n--) { uint32_t t = c[0]; c[0] = c[n]; c[n] = t; sift(c, n, 0); }
  int equal = 1;
  for (int i = 0; i < N; i++) equal &= a[i] == b[i] && b[i] == c[i];
  printf("%d %u\n", equal, a[N / 2]);
  return 0;
}
