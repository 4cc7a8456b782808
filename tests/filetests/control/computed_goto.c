// An interpreter that jumps through a table of labels, another through differences of labels, and a table that is
// made at run time.
#include <stdio.h>

static int interpret(const char *code) {
  static void *const labels[] = {&&stop, &&push, &&add, &&multiply, &&jump_back};
  int stack[8], top = 0, rounds = 0;
  const char *at = code;
#define NEXT goto *labels[(int)*at++]
  NEXT;
push:
  stack[top++] = *at++;
  NEXT;
add:
  top--;
  stack[top - 1] += stack[top];
  NEXT;
multiply:
  top--;
  stack[top - 1] *= stack[top];
  NEXT;
jump_back:
  if (++rounds < 3)
    at -= *at;
  else
    at++;
  NEXT;
stop:
  return stack[0];
}

static int relative(int n) {
  static const int distances[] = {&&zero - &&zero, &&one - &&zero, &&many - &&zero};
  goto *(&&zero + distances[n < 2 ? n : 2]);
zero:
  return 100;
one:
  return 101;
many:
  return 100 + n * n;
}

static const char *last(int argc) {
  void *way[2];
  way[0] = &&one;
  way[argc > 1] = &&other;
  if (way[0] == &&one && way[0] != &&other && way[0])
    goto *way[0];
  goto *way[argc > 1];
one:
  return "one";
other:
  return "other";
}

int main(int argc, char **argv) {
  (void)argv;
  static const char code[] = {1, 5, 1, 2, 2, 1, 3, 3, 4, 7, 0};
  printf("%d\n", interpret(code));
  for (int i = 0; i < 4; i++)
    printf("%d ", relative(i));
  printf("%s\n", last(argc));
  return 0;
}
