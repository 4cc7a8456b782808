# Without a network: help, wrong arguments, a port that nobody listens at.
nc -h
nc
nc -w 1 127.0.0.1 1 </dev/null
nc -z -v -n 127.0.0.1 1-3
nc -x nowhere
