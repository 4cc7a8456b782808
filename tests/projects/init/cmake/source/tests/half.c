#include "half.h"

int main(void) {
    return half(5) != 2;
}
