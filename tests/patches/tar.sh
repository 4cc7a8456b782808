# Make, list, compare and unpack an archive.
mkdir in out; echo one >in/a; seq 1 50 >in/b; ln -s a in/c
tar --mtime=@0 -cf a.tar in
tar -tf a.tar
tar -tvf a.tar in/b
tar -xf a.tar -C out
tar -df a.tar
