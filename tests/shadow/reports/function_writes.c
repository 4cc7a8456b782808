//@ diff: --complete --function put PROGRAM
//@ diff: --complete --function only_new PROGRAM
//@ diff: --complete --function moved PROGRAM
//@ diff: --complete --function fresh PROGRAM
//@ diff: --complete --function global PROGRAM
// What a function writes through its pointers is what it does, addresses of objects are not.
#include <stdlib.h>
#include <umbra.h>

struct list {
	int *data;
	int count;
};

static int counter;

void put(int *to, int value)
{
	*to = change(value, value == 7 ? 8 : value);
}

void only_new(int *to)
{
	if (execute(NEW))
		if (to)
			*to = 1;
}

int moved(struct list *list)
{
	int before = list->count;
	list->count = change(before + 2, 2 + before);
	return before;
}

void fresh(struct list *list)
{
	if (execute(NEW))
		free(malloc(16));
	int *data = malloc(16);
	if (!data)
		return;
	list->data = data;
	list->count = 4;
}

void global(int value)
{
	counter = change(value, value + 1);
}

int main(void)
{
	struct list list = { 0, 0 };
	int x = 0;
	put(&x, 1);
	only_new(&x);
	fresh(&list);
	global(1);
	return moved(&list) + counter;
}
