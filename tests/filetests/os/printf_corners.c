#include <stdio.h>
#include <wchar.h>

int main(void) {
  printf("[%5d][%-5d][%05d][%+d][% d][%x][%#X][%#o]\n", 42, 42, 42, 42, 42, 255, 255, 8);
  printf("[%.3d][%8.3d][%hhd][%hd][%ld][%llu]\n", 5, -5, 300, 70000, -1l, -1ull);
  printf("[%s][%.2s][%10s][%-10s][%c]\n", "text", "text", "text", "text", 'c');
  printf("[%*d][%-*d][%.*f][%%]\n", 6, 1, 6, 2, 2, 3.14159);
  printf("[%zu][%td][%jd][%p]\n", sizeof(int), (char *)8 - (char *)3, (long)9, (void *)0);
  int n;
  printf("abc%n", &n);
  printf(" %d\n", n);
  char small[4];
  printf("%d", snprintf(small, sizeof small, "%d", 123456));
  printf(" %s %d\n", small, snprintf(0, 0, "%s", "length"));
  printf("%ls %lc\n", L"wide", (wint_t)L'w');
  return 0;
}
