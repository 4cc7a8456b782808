// Scores are kept for 20 players, numbered from 1.
//@ trigger: player=i32:20 score=i32:100
//@ benign: player=i32:19 score=i32:100
#include <klee/klee.h>

static unsigned char scores[20];

int main(void) {
  int player = klee_int("player");
  int score = klee_range(0, 101, "score");
  if (player < 1 || player > 20) return 1;
  if (score < 90) return 2;
  scores[player] = (unsigned char)score; //~ out-of-bounds-write
  return scores[1] != 0;
}
