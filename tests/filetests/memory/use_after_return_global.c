static char *kept;

static void keep(void) {
  char buffer[16] = "text";
  kept = buffer;
}

int main(void) {
  keep();
  kept[0] = 'T'; //~ use-after-return
  return 0;
}
