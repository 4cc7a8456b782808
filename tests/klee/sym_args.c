// No, one or two arguments.
//@ args: --sym-args 0 2 1
//@ paths: 3
int main(int argc, char **argv) { return argc; }
