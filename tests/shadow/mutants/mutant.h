/* Mutants of a routine, all in one program: argument 1 says which one the new version is; 203 is
 * mutants 2 and 3 together.
 *
 * M(n, e, f): the expression e, which in mutant n is f. D(n, s): the statement s, which mutant n
 * does not have. Neither passes a place: what a version evaluates alone has no counterpart.
 * What a mutant does not touch is the same in both versions. */
#include <stdlib.h>
#include <umbra.h>
#include "../at.h"

static int mutant;

#define IS(number) (mutant % 100 == (number) || mutant / 100 == (number))

#define M(number, expression, other) \
	change(expression, IS(number) ? (other) : (expression))
#define D(number, statement) \
	do { \
		if (execute(OLD)) { \
			statement; \
		} else if (!IS(number)) { \
			statement; \
		} \
	} while (0)
