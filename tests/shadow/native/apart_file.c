//@ seed: 5
//@ apart: none
// A file with other permissions is seen by others.
#include <fcntl.h>
#include <umbra.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	int file = open("made", O_CREAT | O_WRONLY, change(0644, 0600)); //~ output-difference
	if (file < 0)
		return 2;
	for (int i = 0; i < 3; i++)
		write(file, "text", 4);
	close(file);
	return 0;
}
