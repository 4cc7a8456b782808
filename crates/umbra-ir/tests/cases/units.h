static int included(int n) { static int count; return n + ++count; }
