bin/probe trace bin/probe args one
bin/probe seize bin/probe args two
bin/probe spawn bin/gdb trace bin/probe args three
bin/probe spawn bin/gdb seize bin/probe exit 4
bin/probe shell 'strace -o calls -e trace=write bin/probe args five; grep -c five calls'
bin/probe shell 'bin/probe args six; strace -f -o calls -e trace=write sh -c "bin/probe args seven"; grep -c seven calls'
strace -o calls -e trace=write bin/probe args eight; grep -c eight calls
