// The symbolic files are in the working directory.
//@ sym: file=A:1
//@ sym: file=notes:2
//@ benign: file=A:"a" file=notes:"ab"
#include <dirent.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  DIR *directory = opendir(".");
  if (!directory) return 1;
  int seen = 0;
  for (struct dirent *entry; (entry = readdir(directory));) {
    if (strcmp(entry->d_name, "A") == 0) seen |= 1;
    if (strcmp(entry->d_name, "notes") == 0) seen |= 2;
  }
  closedir(directory);
  FILE *file = fopen("notes", "r");
  int c = file ? getc(file) : EOF;
  printf("%d %d\n", seen, c == 'n');
  return seen == 3 ? 0 : 2;
}
