// Rows and columns of a board are exchanged.
//@ trigger: row=u8:1 column=u8:6
//@ benign: row=u8:3 column=u8:2
#include <umbra.h>

static char board[4][7];

int main(void) {
  unsigned char row, column;
  umbra_symbolic(&row, 1, "row");
  umbra_symbolic(&column, 1, "column");
  if (row >= 4 || column >= 7) return 1;
  if ((row + column) % 7 != 0 && column > 3) return 2;
  board[column][row] = 'x'; //~ out-of-bounds-write
  return board[0][0] == 'x';
}
