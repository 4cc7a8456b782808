// Constructors by rising priority, destructors the other way round.
int calls[8], count;
__attribute__((constructor)) static void late(void) { calls[count++] = 1; }
__attribute__((constructor(200))) static void early(void) { calls[count++] = 2; }
__attribute__((constructor)) static void latest(void) { calls[count++] = 3; }
__attribute__((destructor)) static void first_out(void) { calls[count++] = 4; }
__attribute__((destructor(200))) static void last_out(void) { calls[count++] = 5; }
