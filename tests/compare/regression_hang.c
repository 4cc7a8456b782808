// class: regression
// differs: end
int main(void) {
#ifdef NEW
  for (volatile int i = 0;;) i++;
#endif
  return 0;
}
