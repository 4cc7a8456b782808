//@ domain: x=1
//@ partings: 1
// Both versions allocate the same in another order, and the new one something more. Pointers mean the same in both.
#include <stdlib.h>
#include <string.h>
#include <umbra.h>
#include "at.h"

struct node { struct node *next; char text[100]; };

static struct node *make(void) { return malloc(sizeof(struct node)); }

static char *buffer(void) { return malloc(24); }

int main(void)
{
	unsigned char x;
	char *small = NULL, *spare = NULL;
	struct node *node = NULL;
	umbra_symbolic(&x, 1, "x");
	if (execute(OLD)) {
		small = buffer();
		node = make();
	} else {
		spare = malloc(24);
		node = make();
		free(spare);
		small = buffer();
	}
	spare = NULL;
	at(0);
	memset(small, 0, 24);
	node->next = node;
	node->text[x % 100] = 1;
	small[x % 24] = node->next->text[x % 100];
	int sum = 0;
	for (int i = 0; i < 24; i++)
		sum += small[i];
	free(small);
	free(node);
	return sum;
}
