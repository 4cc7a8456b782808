/* names FOLDER: the names in it, in the order of the file system. */
#include "common.h"
#include <dirent.h>

int main(int argc, char **argv) {
  DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
  if (!folder) return 2;
  for (struct dirent *entry; (entry = readdir(folder));) {
    if (entry->d_name[0] != '.') puts(entry->d_name);
  }
  return 0;
}
