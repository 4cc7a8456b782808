#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>
#include <wctype.h>

int main(void) {
  setlocale(LC_ALL, "C.UTF-8");
  wchar_t wide[16];
  size_t n = mbstowcs(wide, "gr\xc3\xbc\xc3\x9f \xe2\x82\xac", 16);
  printf("%zu %zu\n", n, wcslen(wide));
  for (size_t i = 0; i < n; i++)
    printf("%x %d ", (unsigned)wide[i], iswalpha(wide[i]) != 0);
  printf("\n%lc %ls\n", towupper(wide[2]), wide);
  char bytes[8];
  printf("%d %d\n", wctomb(bytes, 0x20ac), mblen("\xff", 1));
  printf("%ld\n", wcstol(L"123", 0, 10));
  return 0;
}
