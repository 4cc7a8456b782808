bin/probe exec bin/probe args one
bin/probe spawn bin/probe spawn bin/probe args two
bin/probe shell 'bin/probe args three; echo four | bin/probe line'
echo five | bin/probe spawn bin/probe line
bin/gdb trace bin/probe args six
