# The least address space in which it runs bare, and a little more.
size=500
until (ulimit -v $size && bin/bare args) > /dev/null 2>&1; do size=$((size + 50)); done
(ulimit -v $((size + 150)) && bin/probe args)
(ulimit -v $((size - 100)) && bin/probe args) 2> /dev/null || echo "not with less"
