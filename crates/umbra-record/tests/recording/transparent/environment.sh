env -i bin/probe env
env -i A=1 B= 'C=x y' A=2 "$PWD/bin/probe" env
