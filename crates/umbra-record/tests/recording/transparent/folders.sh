here=$PWD
mkdir gone; cd gone; rmdir "$here/gone"
"$here/bin/probe" cwd
"$here/bin/probe" cat x
cd "$here"
name=$(printf '%0200d' 0)
for step in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
    mkdir $name; cd ./$name
done
echo deep > file
"$here/bin/probe" cat file
"$here/bin/probe" cat ../file
