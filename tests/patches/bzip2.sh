# Pack, test, unpack, to standard output and from standard input, and a file that is no archive.
seq 1 40 >a; cp a b; echo plain >c
bzip2 -k a
bzip2 -t a.bz2
bzip2 -dc a.bz2
bzip2 -9 <b >d
bzip2 -d c
