#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct list { struct list *next; };
struct item { int value; struct list link; };

int main(void) {
  struct item items[3];
  struct list *head = 0;
  for (int i = 0; i < 3; i++) {
    items[i].value = i;
    items[i].link.next = head;
    head = &items[i].link;
  }
  for (struct list *l = head; l; l = l->next)
    printf("%d\n", ((struct item *)((char *)l - offsetof(struct item, link)))->value);
  uintptr_t tagged = (uintptr_t)&items[1] | 1;
  printf("%d %d\n", ((struct item *)(tagged & ~(uintptr_t)1))->value, (int)(tagged & 1));
  uint32_t high = (uint32_t)((uintptr_t)items >> 32), low = (uint32_t)(uintptr_t)items;
  struct item *joined = (struct item *)(((uintptr_t)high << 32) | low);
  printf("%d %d\n", joined[2].value, (int)(&items[2] - items));
  return 0;
}
