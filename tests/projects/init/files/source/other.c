unsigned long length(const char *text);

int main(int argc, char **argv) {
    return (int)length(argv[argc - 1]);
}
