#include <stdio.h>

unsigned long length(const char *text);

int main(int argc, char **argv) {
    if (argc < 2)
        return 2;
    printf("%lu\n", length(argv[1]));
    return 0;
}
