// The name of the last error is a local buffer if the error has no name of its own.
//@ trigger: code=u8:42
//@ benign: code=u8:1
#include <stdio.h>
#include <string.h>
#include <umbra.h>

static const char *last;

static void fail(unsigned char code) {
  char text[4];
  if (code == 0) {
    last = "none";
  } else if (code < 40) {
    last = "known";
  } else {
    text[0] = 'E';
    text[1] = (char)('0' + code % 10);
    text[2] = 0;
    last = text[1] == '2' ? text : "other";
  }
}

int main(void) {
  unsigned char code;
  umbra_symbolic(&code, 1, "code");
  fail(code);
  return *last == 'E'; //~ use-after-return
}
