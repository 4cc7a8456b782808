/* A controller of a brake, run for several steps on symbolic pedal positions: a state machine some
 * of whose conditions and values are changed. Most of its paths are paths on which the versions
 * part. */
#include <umbra.h>
#ifndef STEPS
#define STEPS 7
#endif

enum { RELEASED, SOFT, HARD, LOCKED };

static int state, pressure, warnings;

static void step(int pedal)
{
	if (change(pedal == 0, pedal <= 1)) {
		pressure = 0;
		state = RELEASED;
		return;
	}
	switch (state) {
	case RELEASED:
		if (change(pedal > 9, pedal > 8))
			state = HARD;
		else
			state = SOFT;
		break;
	case SOFT:
		if (change(pedal > 12, pedal >= 12))
			state = HARD;
		break;
	case HARD:
		pressure += change(2, 1);
		if (pressure > 4) {
			state = LOCKED;
			warnings++;
		}
		break;
	default:
		if (pedal < change(3, 4)) {
			state = SOFT;
			pressure = 1;
		}
		break;
	}
	if (pedal > 14)
		pressure++;
}

int main(void)
{
	unsigned char pedal[STEPS];
	umbra_symbolic(pedal, sizeof pedal, "pedal");
	for (int i = 0; i < STEPS; i++)
		step(pedal[i]);
	return warnings * 16 + pressure;
}
