ln -s bin/probe link
ln bin/probe hard
mkdir copies
cp -p bin/probe copies/other
./link args
./hard args
copies/other args
PATH=$PWD/bin:$PATH
probe args
sh -c 'exec probe args x'
