mkfifo ready
bin/probe wait & kill -TERM $!; wait $!; echo $?
bin/probe wait & kill -KILL $!; wait $!; echo $?
bin/probe handle ready & read nothing < ready; kill -USR1 $!; wait $!; echo $?
bin/probe spawn bin/probe stop
(trap '' INT USR2; bin/probe signals)
bin/probe signals
bin/probe block bin/probe signals
