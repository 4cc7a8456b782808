//@ domain: a=u8:0..6 b=u8:0..6 c=u8:0..6 d=u8:0..6
//@ mutants: 18
//@ combined: 102 407
// A controller of a brake: a state machine over pedal and speed, for four steps.
#include "mutant.h"

enum { RELEASED, SOFT, HARD, LOCKED };

static int state, pressure, warnings;

static void step(int pedal)
{
	if (M(1, pedal == 0, pedal <= 1)) {
		at(0);
		D(2, pressure = 0);
		state = M(3, RELEASED, state);
		return;
	}
	switch (M(4, state, state & 1)) {
	case RELEASED:
		at(1);
		state = M(5, pedal > 3 ? HARD : SOFT, pedal > 2 ? HARD : SOFT);
		break;
	case SOFT:
		at(2);
		if (M(6, pedal > 3, pedal >= 3)) {
			at(3);
			state = M(7, HARD, LOCKED);
		}
		break;
	case HARD:
		at(4);
		pressure += M(8, 2, 1);
		if (M(9, pressure > 4, pressure > 3)) {
			at(5);
			state = LOCKED;
			D(10, warnings++);
		}
		break;
	default:
		at(6);
		if (M(11, pedal < 3, pedal < 4)) {
			at(7);
			state = M(12, SOFT, HARD);
			pressure = M(13, 1, 0);
		}
		break;
	}
	at(8);
	D(14, pressure += M(15, pedal > 3, pedal > 4));
}

int main(int argc, char **argv)
{
	unsigned char pedal[4];
	mutant = argc > 1 ? atoi(argv[1]) : 0;
	umbra_symbolic(&pedal[0], 1, "a");
	umbra_symbolic(&pedal[1], 1, "b");
	umbra_symbolic(&pedal[2], 1, "c");
	umbra_symbolic(&pedal[3], 1, "d");
	for (int i = 0; i < 4; i++)
		umbra_assume(pedal[i] < 6);
	for (int i = M(16, 0, 1); i < 4; i++)
		step(M(17, pedal[i], pedal[i] | 0));
	return (16 * warnings + 4 * state + (pressure & 3)) & M(18, 0x7f, 0x3f);
}
