// What programs written for glibc expect of its headers, beside what musl has: messages, lists, macros, the allocator's knobs.
//@ args: 7 31 4 18
//@ exit: 3
#define _GNU_SOURCE
#include <errno.h>
#include <error.h>
#include <execinfo.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utmpx.h>

__BEGIN_DECLS
static int compare(const void *, const void *) __THROW;
__END_DECLS

#if !__GNUC_PREREQ(3, 0)
#error an old compiler
#endif

struct item {
  int number;
  SLIST_ENTRY(item) singly;
  LIST_ENTRY(item) doubly;
  STAILQ_ENTRY(item) queued;
  SIMPLEQ_ENTRY(item) simply;
  TAILQ_ENTRY(item) both_ways;
};
SLIST_HEAD(slist, item) slist = SLIST_HEAD_INITIALIZER(slist);
LIST_HEAD(list, item) list = LIST_HEAD_INITIALIZER(list);
STAILQ_HEAD(stailq, item) stailq = STAILQ_HEAD_INITIALIZER(stailq);
SIMPLEQ_HEAD(simpleq, item) simpleq = SIMPLEQ_HEAD_INITIALIZER(simpleq);
TAILQ_HEAD(tailq, item) tailq = TAILQ_HEAD_INITIALIZER(tailq);

static int compare(const void *one, const void *other) {
  return *(const int *)one - *(const int *)other;
}

static void program(void) {
  fputs("names: ", stderr);
}

int main(int argc, char **argv) {
  struct item items[8], *item, *extra = &items[7];
  int numbers[8], count = argc - 1;
  comparison_fn_t order = compare;
  for (int i = 0; i < count && i < 7; i++) {
    item = &items[i];
    numbers[i] = item->number = atoi(argv[i + 1]);
    SLIST_INSERT_HEAD(&slist, item, singly);
    LIST_INSERT_HEAD(&list, item, doubly);
    STAILQ_INSERT_TAIL(&stailq, item, queued);
    SIMPLEQ_INSERT_TAIL(&simpleq, item, simply);
    TAILQ_INSERT_TAIL(&tailq, item, both_ways);
  }
  extra->number = 100;
  SLIST_REMOVE(&slist, &items[1], item, singly);
  SLIST_INSERT_AFTER(&items[2], extra, singly);
  LIST_REMOVE(&items[count - 1], doubly);
  LIST_INSERT_BEFORE(&items[0], extra, doubly);
  STAILQ_REMOVE(&stailq, &items[count - 1], item, queued);
  STAILQ_INSERT_HEAD(&stailq, extra, queued);
  SIMPLEQ_REMOVE_HEAD(&simpleq, simply);
  SIMPLEQ_INSERT_AFTER(&simpleq, &items[1], extra, simply);
  TAILQ_REMOVE(&tailq, &items[0], both_ways);
  TAILQ_INSERT_BEFORE(&items[2], extra, both_ways);
  SLIST_FOREACH(item, &slist, singly) printf("%d ", item->number);
  LIST_FOREACH(item, &list, doubly) printf("%d ", item->number);
  STAILQ_FOREACH(item, &stailq, queued) printf("%d ", item->number);
  SIMPLEQ_FOREACH(item, &simpleq, simply) printf("%d ", item->number);
  TAILQ_FOREACH_REVERSE(item, &tailq, tailq, both_ways) printf("%d ", item->number);
  printf("%d %d\n", TAILQ_LAST(&tailq, tailq)->number, TAILQ_EMPTY(&tailq));
  while ((item = TAILQ_FIRST(&tailq)) != NULL)
    TAILQ_REMOVE(&tailq, item, both_ways);
  printf("%d\n", TAILQ_LAST(&tailq, tailq) == NULL);

  qsort(numbers, count, sizeof *numbers, order);
  char *copy = strndupa("abcdef", numbers[0]);
  printf("%d %s %o %o\n", numbers[0], copy, ALLPERMS, DEFFILEMODE);
  printf("%ld\n", (long)TEMP_FAILURE_RETRY(write(-1, "", 1)));
  printf("%d %d\n", (int)sizeof((struct utmpx *)0)->ut_user == __UT_NAMESIZE, __UT_HOSTSIZE);
  char *root = canonicalize_file_name("/.//..");
  printf("%s %d\n", root, mallopt(M_TRIM_THRESHOLD, 1));
  free(root);
  void *frames[4];
  char **names = backtrace_symbols(frames, 0);
  printf("%d\n", names != NULL);
  free(names);

  error_print_progname = program;
  error(0, ENOENT, "%s is missing", "this");
  error_at_line(0, 0, "file.c", 3, "one %d", 1);
  error_one_per_line = 1;
  error_at_line(0, 0, "file.c", 3, "two");
  error_at_line(0, 0, "file.c", 3, "three");
  error_at_line(0, 0, "file.c", 4, "four");
  printf("%u messages\n", error_message_count);
  error(3, 0, "the end");
  return 0;
}
