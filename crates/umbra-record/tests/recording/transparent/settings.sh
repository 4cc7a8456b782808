umask 077; bin/probe umask
(ulimit -n 20; ulimit -c 0; bin/probe limits)
(ulimit -v 100000; bin/probe limits; bin/probe cat bin/../none)
(ulimit -f 1; bin/probe limits)
