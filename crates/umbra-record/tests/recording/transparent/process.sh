bin/probe parent $$
bin/probe group $(ps -o pgid= -p $$)
bin/probe pid > pid & wait $!; test "$(cat pid)" = $! && echo same
setsid -w bin/probe pid > pid; test -s pid && echo session
