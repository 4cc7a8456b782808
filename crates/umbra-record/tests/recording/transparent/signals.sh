# dash itself says "Terminated" in most runs only: what `wait` writes is not compared.
mkfifo ready
bin/probe wait & kill -TERM $!; wait $! 2> /dev/null; echo $?
bin/probe wait & kill -KILL $!; wait $! 2> /dev/null; echo $?
bin/probe handle ready & read nothing < ready; kill -USR1 $!; wait $! 2> /dev/null; echo $?
bin/probe spawn bin/probe stop
(trap '' INT USR2; bin/probe signals)
bin/probe signals
bin/probe block bin/probe signals
