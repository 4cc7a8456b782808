//@ domain: x=1
// A list of which one version has a node more, in front.
#include <stdlib.h>
#include <umbra.h>
#include "at.h"

struct node { int value; struct node *next; };

static struct node *add(struct node *list, int value)
{
	struct node *node = malloc(sizeof *node);
	if (!node)
		abort();
	node->value = value;
	node->next = list;
	return node;
}

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	struct node *list = add(add(NULL, 1), x);
	if (execute(NEW))
		list = add(list, 3);
	list = add(list, 4);
	at(0);
	int sum = 0;
	for (struct node *node = list; node; node = node->next) { //~ control
		at(1);
		sum = sum * 2 + node->value;
	}
	at(2);
	while (list) {
		struct node *next = list->next;
		free(list);
		list = next;
	}
	return sum & 0x7f;
}
