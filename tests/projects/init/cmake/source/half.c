#include "half.h"

int half(int number) {
    return number / 2;
}
