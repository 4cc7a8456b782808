(bin/probe yes; echo "status $?" >&2) | head -n 1
(trap '' PIPE; bin/probe signals)
