// Equal literals of different files are one object: linkers merge them.
#include <langinfo.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  const char *charset = nl_langinfo(CODESET), *ascii = "ASCII", *utf8 = "UTF-8";
  printf("%d %d\n", charset == ascii || charset == utf8, !strcmp(charset, ascii));
  return 0;
}
