// Weak and aliased symbols, thread-local ones.
extern int maybe(void) __attribute__((weak));
extern int *data __attribute__((weak));
int real(int x) { return x + 1; }
int other(int x) __attribute__((alias("real")));
int array[4] = {1, 2, 3, 4};
extern int alias_of_array[4] __attribute__((alias("array")));
__thread int per_thread = 5;
int use(void) { return maybe ? maybe() : other(alias_of_array[1]) + per_thread; }
int jump(void **env) { return __builtin_setjmp(env); }
