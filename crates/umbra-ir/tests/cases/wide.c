// Integers of odd and large widths.
typedef _BitInt(65) odd;
__int128 big = ((__int128)0x0123456789abcdef << 64) | 0xfedcba9876543210u;
odd minus = -5;
__int128 multiply(__int128 a, long b) { return a * b + big; }
odd add(odd a, odd b) { return a + b - (odd)3; }
_Bool flag(_Bool b) { return !b; }
