// Characters are signed: those above 127 come before the table.
//@ sym: stdin=2
//@ trigger: stdin="#\xf0"
//@ benign: stdin="#a"
#include <stdio.h>
#include <unistd.h>

static const unsigned char before[64] = "................................................................";
static const unsigned char weight[128] = {['a'] = 1, ['e'] = 2, ['i'] = 3, ['o'] = 4, ['u'] = 5};

static int weigh(char c) {
  return weight[(int)c]; //~ out-of-bounds-read
}

int main(void) {
  char text[2];
  if (read(0, text, 2) != 2 || text[0] != '#') return before[0] == 0;
  printf("%d\n", weigh(text[1]));
  return 0;
}
