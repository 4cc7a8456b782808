// A machine over two bytes of input that recognises comments.
//@ sym: stdin=2
#include <stdio.h>

enum state { code, slash, line, block, star };

int main(void) {
  enum state state = code;
  const char *rest = "*/ x";
  int c;
  for (int i = 0; i < 6; i++) {
    c = i < 2 ? getchar() : rest[i - 2];
    switch (state) {
    case code: state = c == '/' ? slash : code; break;
    case slash: state = c == '/' ? line : c == '*' ? block : code; break;
    case line: state = c == '\n' ? code : line; break;
    case block: state = c == '*' ? star : block; break;
    case star: state = c == '/' ? code : c == '*' ? star : block; break;
    }
  }
  printf("%d\n", state);
  return state;
}
