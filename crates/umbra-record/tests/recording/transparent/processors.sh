nproc
bin/probe cat /proc/self/status | grep Cpus_allowed
bin/probe shell 'nproc; grep Cpus_allowed /proc/self/status'
bin/probe shell 'bin/probe shell nproc; cd /proc/$$; grep Cpus_allowed status'
taskset -c 0 bin/probe shell 'nproc; taskset -p $$ | sed "s/.*://"'
taskset -c 0 bin/probe cat /proc/self/status | grep Cpus_allowed
mkfifo lines
bin/probe line < lines & exec 9> lines
own=$(taskset -p $$ | sed 's/.*://') tries=0
until [ "$(taskset -p $! | sed 's/.*://')" = "$own" ] || [ $tries = 1000 ]; do tries=$((tries + 1)); done
echo $((tries < 1000)) >&9
wait
