// First contents: numbers, text, addresses inside other objects, padding, bit fields, unions.
int numbers[4] = {1, -2, 3};
short shorts[] = {1, 2, 0x1234};
char text[8] = "hi";
const char *const names[] = {"one", "two", text + 3};
struct { char c; int *p; long double l; unsigned a : 3, b : 7; } mixed = {'x', &numbers[2], 1.0L, 5, 100};
union { int i; double d; } either = {.d = 2.0};
static int helper(int x) { return x; }
int (*functions[2])(int) = {helper};
float floats[] = {1.0f, -0.0f};
int zero[100];
int sparse[100] = {[50] = 7};
extern int elsewhere[];
int *end = elsewhere + 10;
long difference = (char *)&numbers[3] - (char *)&numbers[0];
