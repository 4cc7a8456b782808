// Lines of several threads in one stream are whole, and characters put under its lock stay together.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 4, LINES = 3000 };
static FILE *file;

static void *print(void *argument) {
  char letter = *(char *)argument, line[64];
  memset(line, letter, sizeof line);
  for (int i = 0; i < LINES; i++) {
    if (i % 2) {
      fprintf(file, "%.*s%s\n", 40, line, "!");
    } else {
      flockfile(file);
      for (int n = 0; n < 40; n++) putc_unlocked(letter, file);
      putc_unlocked('!', file);
      putc_unlocked('\n', file);
      funlockfile(file);
    }
  }
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  char letters[THREADS], line[128];
  file = tmpfile();
  if (!file) return 2;
  setvbuf(file, 0, _IOFBF, 256);
  for (int i = 0; i < THREADS; i++) {
    letters[i] = (char)('a' + i);
    pthread_create(&threads[i], 0, print, &letters[i]);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
  rewind(file);
  int count[THREADS] = {0}, broken = 0;
  while (fgets(line, sizeof line, file)) {
    size_t same = strspn(line, (char[]){line[0], 0});
    if (same != 40 || strcmp(line + 40, "!\n") || line[0] < 'a' || line[0] >= 'a' + THREADS) broken++;
    else count[line[0] - 'a']++;
  }
  for (int i = 0; i < THREADS; i++) printf("%d ", count[i]);
  printf("%d broken\n", broken);
  return broken != 0;
}
