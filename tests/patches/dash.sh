# Small scripts.
cat >loop.sh <<'S'
for i in 1 2 3; do echo "$i: $((i * 2))"; done
S
cat >func.sh <<'S'
f() { local x=$1; echo "f $x"; return 3; }
f "${1:-none}"; echo "$?"; case $1 in a*) echo starts;; *) echo other;; esac
S
dash loop.sh
dash func.sh abc
dash -c 'x="a b"; set -- $x; echo $# "$2"; printf "%s-%d\n" n 7'
dash -n func.sh
echo 'read line; echo "got $line"; test -f loop.sh && echo yes' | dash
