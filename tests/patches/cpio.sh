# Make, list and unpack archives in two formats, and pass files through.
mkdir in out pass; echo one >in/a; seq 1 50 >in/b; ln -s a in/c
find in | sort | cpio -o -H newc >new.cpio
find in | sort | cpio -o -H ustar >tar.cpio
cpio -it <new.cpio
cd out && cpio -idm <../new.cpio; cd ..
find in -type f | sort | cpio -pd pass
