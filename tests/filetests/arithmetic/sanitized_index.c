//@ cc: -fsanitize=bounds
struct { char name[4], other[4]; } record;

int main(int argc, char **argv) {
  return record.name[argc + 4]; //~ undefined-behaviour
}
