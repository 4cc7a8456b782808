// The competition's inputs of all types.
//@ trigger: nondet_char="a" nondet_ushort=u16:65535 nondet_uint=u32:7 nondet_long=i64:-1 nondet_ulong=u64:9 nondet_bool=u8:1 nondet_size_t=u64:3 nondet_u8=u8:200
//@ benign: nondet_char="b" nondet_ushort=u16:1 nondet_uint=u32:1 nondet_long=i64:1 nondet_ulong=u64:1 nondet_bool=u8:0 nondet_size_t=u64:1 nondet_u8=u8:1
#include <stdlib.h>

char __VERIFIER_nondet_char(void);
unsigned short __VERIFIER_nondet_ushort(void);
unsigned __VERIFIER_nondet_uint(void);
long __VERIFIER_nondet_long(void);
unsigned long __VERIFIER_nondet_ulong(void);
_Bool __VERIFIER_nondet_bool(void);
size_t __VERIFIER_nondet_size_t(void);
unsigned char __VERIFIER_nondet_u8(void);
void reach_error(void);

int main(void) {
  int points = 0;
  points += __VERIFIER_nondet_char() == 'a';
  points += __VERIFIER_nondet_ushort() == 65535;
  points += __VERIFIER_nondet_uint() * 3 == 21;
  points += __VERIFIER_nondet_long() == -1;
  points += __VERIFIER_nondet_ulong() == 9;
  _Bool flag = __VERIFIER_nondet_bool();
  points += flag == 1;
  points += __VERIFIER_nondet_size_t() == 3;
  points += __VERIFIER_nondet_u8() == 200;
  if (points == 8) reach_error(); //~ abort
  return points;
}
