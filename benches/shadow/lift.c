/* A lift that serves calls at several floors, step after step. What differs between the versions is
 * how it chooses where to go next, so they part early, late or never. */
#include <umbra.h>
#ifndef STEPS
#define STEPS 6
#endif
#define FLOORS 6

static int floor_now, direction, calls[FLOORS], moved, served;

static int called_above(void)
{
	for (int i = floor_now + 1; i < FLOORS; i++)
		if (calls[i])
			return 1;
	return 0;
}

static int called_below(void)
{
	for (int i = 0; i < floor_now; i++)
		if (calls[i])
			return 1;
	return 0;
}

static void step(unsigned char event)
{
	if (event < FLOORS) {
		calls[event] = 1;
	} else if (change(event < 200, event <= 200)) {
		direction = change(0, direction);
		return;
	}
	if (calls[floor_now]) {
		calls[floor_now] = 0;
		served++;
		return;
	}
	if (change(direction >= 0, direction > 0) && called_above())
		direction = 1;
	else if (called_below())
		direction = -1;
	else
		direction = change(0, called_above());
	floor_now += direction;
	moved += direction != 0;
}

int main(void)
{
	unsigned char event[STEPS];
	umbra_symbolic(event, sizeof event, "event");
	for (int i = 0; i < STEPS; i++)
		step(event[i]);
	return moved * 16 + served;
}
