struct item {
  long a, b;
};

static long get(struct item *item) {
  return item->b; //~ null-dereference
}

int main(void) {
  return (int)get(0);
}
