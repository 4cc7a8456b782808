static const short table[4] = {1, 2, 3, 4};

int main(int argc, char **argv) {
  int sum = 0;
  for (int i = 0; i < 4 + argc; i++)
    sum += table[i]; //~ out-of-bounds-read
  return sum;
}
