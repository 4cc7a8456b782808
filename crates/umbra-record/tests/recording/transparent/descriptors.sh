echo content > f
bin/probe fds < f
bin/probe fds out < /dev/null > /dev/null 2> /dev/null; cat out
bin/probe fds out <&-; cat out
bin/probe fds out >&-; cat out
bin/probe fds out <&- >&- 2>&-; cat out
bin/probe fds 3< f 5>> g 7<> f < f 2>&1
(read first; bin/probe fds) < f
