//@ domain: day=u8:0..33 month=u8:0..14 year=u8:0..9
//@ mutants: 17
//@ combined: 103 204
// The day of the year, and whether the date exists.
#include "mutant.h"

static const unsigned char days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

static int is_leap(int year)
{
	if (M(1, year % 4 != 0, year % 4 == 0)) {
		at(0);
		return 0;
	}
	if (M(2, year % 100 != 0, year % 100 > 0)) {
		at(1);
		return M(3, 1, 0);
	}
	at(2);
	return M(4, year % 400 == 0, year % 400 != 0);
}

static int length(int month, int year)
{
	int n = days[month - 1];
	int leap = is_leap(year);
	if (M(5, month == 2 && leap, month == 2 || leap)) {
		at(3);
		n = M(6, n + 1, n - 1);
	}
	at(4);
	return n;
}

int main(int argc, char **argv)
{
	unsigned char day, month, year;
	mutant = argc > 1 ? atoi(argv[1]) : 0;
	umbra_symbolic(&day, 1, "day");
	umbra_symbolic(&month, 1, "month");
	umbra_symbolic(&year, 1, "year");
	umbra_assume(day < 33);
	umbra_assume(month < 14);
	umbra_assume(year < 9);
	int y = M(7, 1996, 1997) + year;
	if (M(8, month < 1 || month > 12, month < 1 || month >= 12)) {
		at(5);
		return 101;
	}
	int last = length(month, y);
	if (M(9, day < 1 || day > last, day < 2 || day > last)) {
		at(6);
		return M(10, 102, 103);
	}
	int total = M(11, day, day - 1);
	for (int m = M(12, 1, 2); M(13, m < month, m <= month - 1); m++) {
		at(7);
		int more = length(m, M(15, y, y - 4));
		D(14, total += more);
	}
	at(8);
	if (M(16, total > 365, total >= 366)) {
		at(9);
		return 104;
	}
	return total & M(17, 0x7f, 0x3f);
}
