bin/probe file
"$PWD/bin/probe" file
bin/probe stack
cp bin/probe copy; ./copy file
strip -o bin/stripped bin/probe; bin/stripped args
nm bin/probe > names; grep -c ' main$' names
