bin/probe args a '' 'b c' "$(printf '\377\001')"
bin/probe count $(seq 1 20000)
bin/probe
