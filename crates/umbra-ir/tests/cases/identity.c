// Statics of one name are told apart by file, scope and name.
static int counter;
int visible = 7;
static int first(void) { static int counter; return ++counter; }
static int second(void) { { static int counter = 3; return ++counter; } }
int both(void) { return first() + second() + ++counter + visible; }
