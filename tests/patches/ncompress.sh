# Pack, unpack, to standard output, verbosely, with fewer bits.
seq 1 60 >a; cp a b; cp a c
compress -f a
compress -dc a.Z
compress -v b
compress -c -b 10 c >d
compress -d b.Z
