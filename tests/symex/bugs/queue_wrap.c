// A ring of four: "full" is noticed one element too late.
//@ trigger: ops="pppp"
//@ benign: ops="ppgp"
#include <assert.h>
#include <umbra.h>

int main(void) {
  char ops[4];
  umbra_symbolic(ops, sizeof ops, "ops");
  int ring[4], head = 0, tail = 0, count = 0;
  for (int i = 0; i < 4; i++) {
    if (ops[i] == 'p') {
      if (count > 4) return 1;
      ring[tail] = i;
      tail = (tail + 1) % 4;
      count++;
    } else if (ops[i] == 'g') {
      if (head == tail) return 2;
      head = (head + 1) % 4;
      count--;
    } else {
      return 3;
    }
  }
  int length = (tail - head + 4) % 4;
  assert(length == count); //~ assertion-failure
  return length && ring[head] == 3;
}
