for status in 0 1 3 255; do bin/probe exit $status; echo $?; done
bin/probe abort; echo $?
bin/probe spawn bin/probe exit 7
bin/probe spawn bin/probe abort
