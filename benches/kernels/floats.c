/* Doubles: a matrix product and an n-body step. */
#include <math.h>
#include <stdio.h>
#ifndef N
#define N 90
#endif
static double a[N][N], b[N][N], c[N][N];
int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) { a[i][j] = i + j * 0.5; b[i][j] = i * 0.25 - j; }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double sum = 0;
      for (int k = 0; k < N; k++) sum += a[i][k] * b[k][j];
      c[i][j] = sum;
    }
  double x = 1, y = 0, vx = 0, vy = 1;
  for (int i = 0; i < 100000; i++) {
    double r = sqrt(x * x + y * y), f = -1 / (r * r * r);
    vx += x * f * 1e-4; vy += y * f * 1e-4;
    x += vx * 1e-4; y += vy * 1e-4;
  }
  printf("%.6f %.6f\n", c[N - 1][N / 2], x);
  return 0;
}
