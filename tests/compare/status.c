// class: output-difference
// differs: end
#ifdef OLD
int main(void) { return 0; }
#else
int main(void) { return 3; }
#endif
