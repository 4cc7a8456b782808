/* musl has no rawmemchr. A program that brings its own for want of one reads whole words, past the
 * end of the object (gnulib does). */
void *rawmemchr(const void *start, int byte)
{
	const unsigned char *p = start;
	while (*p != (unsigned char)byte) p++;
	return (void *)p;
}
