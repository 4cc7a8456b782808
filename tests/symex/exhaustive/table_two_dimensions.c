// A game of noughts and crosses in which two moves are made.
//@ domain: a=1 b=1
#include <stdio.h>
#include <umbra.h>

int main(void) {
  unsigned char a, b;
  umbra_symbolic(&a, 1, "a");
  umbra_symbolic(&b, 1, "b");
  char board[3][3] = {"x..", ".o.", "..x"};
  if (a > 8 || b > 8) return 1;
  char *first = &board[a / 3][a % 3], *second = &board[b % 3][b / 3];
  if (*first != '.') return 2;
  *first = 'o';
  if (*second != '.') return 3;
  *second = 'x';
  int won = 0;
  for (int i = 0; i < 3; i++) {
    won |= board[i][0] == 'x' && board[i][1] == 'x' && board[i][2] == 'x';
    won |= board[0][i] == 'o' && board[1][i] == 'o' && board[2][i] == 'o';
  }
  printf("%s\n", won ? "won" : "open");
  return 4;
}
