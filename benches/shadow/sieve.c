/* Nothing symbolic: primes below a limit, counted by a sieve and summed up with one changed weight.
 * What the versions share is run once. */
#include <stdio.h>
#include <umbra.h>
#define LIMIT 400000

static unsigned char composite[LIMIT];

int main(void)
{
	unsigned long count = 0, sum = 0;
	for (unsigned long i = 2; i < LIMIT; i++) {
		if (composite[i])
			continue;
		count++;
		sum = sum * 31 + i;
		for (unsigned long j = i * i; j < LIMIT; j += i)
			composite[j] = 1;
	}
	sum += change(1, 2);
	printf("%lu %lu\n", count, sum);
	return 0;
}
