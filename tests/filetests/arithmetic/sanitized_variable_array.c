//@ cc: -fsanitize=vla-bound
int main(int argc, char **argv) {
  int count = argc - 1;
  char room[count]; //~ undefined-behaviour
  return sizeof room;
}
