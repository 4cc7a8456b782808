static char table[4];
int main(int argc, char **argv) {
  char *volatile p = table;
  return p[argc + 3]; //~ global-buffer-overflow
}
