#include <stdio.h>
#include <string.h>

#define SIZE(n) \
  struct s##n { unsigned char b[n]; }; \
  static struct s##n f##n(struct s##n a, int add) { \
    for (int i = 0; i < n; i++) a.b[i] += add; \
    return a; \
  } \
  static void t##n(void) { \
    struct s##n a, r; \
    for (int i = 0; i < n; i++) a.b[i] = i; \
    r = f##n(a, 5); \
    int sum = 0; \
    for (int i = 0; i < n; i++) sum = sum * 31 + a.b[i] + r.b[i]; \
    printf("%d: %d\n", n, sum); \
  }

SIZE(1) SIZE(2) SIZE(3) SIZE(4) SIZE(5) SIZE(7) SIZE(8) SIZE(9) SIZE(12) SIZE(15) SIZE(16)
SIZE(17) SIZE(24) SIZE(31) SIZE(32) SIZE(33) SIZE(40)

int main(void) {
  t1(); t2(); t3(); t4(); t5(); t7(); t8(); t9(); t12(); t15(); t16();
  t17(); t24(); t31(); t32(); t33(); t40();
  return 0;
}
