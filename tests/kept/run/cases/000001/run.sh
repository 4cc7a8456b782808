#!/bin/sh
# Test case 19e87c72bdd1, made by Umbra.
#
#     ./run.sh PROGRAM
#
# runs PROGRAM as case.json says and exits with its status (128 and the signal's
# number if it is killed). PROGRAM is not confined: think before you run rm.
#
# Predicted: exit status 0.

# What is quoted is data, and signals have numbers.
# shellcheck disable=SC1003,SC2016,SC2172
set -u
# Bytes are bytes, whatever the user's language. The program does not see this.
LC_ALL=C
export LC_ALL

fail() {
    echo "run.sh: $1" >&2
    exit 2
}

[ $# -eq 1 ] || fail 'usage: run.sh PROGRAM (the path of an executable)'
folder=$(cd "$(dirname "$0")" && pwd) || fail "cannot find the folder of $0"
case $1 in
/*) program=$1 ;;
*) program=$(pwd)/$1 ;;
esac
if ! [ -f "$program" ] || ! [ -x "$program" ]; then
    fail "$1 is not an executable file"
fi
case $program in
*=*) fail "cannot run a program with = in its path: $program" ;;
esac

# The working directory is a new folder, removed at the end.
temporary=$(mktemp -d) || fail 'cannot make a temporary folder'
trap 'chmod -R u+rwx "$temporary"; rm -rf "$temporary"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
mkdir "$temporary/work"
cd "$temporary/work" || fail "cannot enter $temporary/work"

# The command.
name='pick.c'
stdin=open
count=4
set --
perl=
if env --argv0=name true 2>/dev/null; then
    set -- "$@" env -i "--argv0=$name" --
elif perl=$(command -v perl); then
    set -- "$@" "$perl" -e '
        my ($stdin, $file, $name, $count) = splice @ARGV, 0, 4;
        %ENV = ();
        for (splice @ARGV, 0, $count) {
            my ($key, $value) = split /=/, $_, 2;
            $ENV{$key} = $value;
        }
        close STDIN if $stdin eq "closed";
        exec { $file } $name, @ARGV;
        exit 127' "$stdin" "$program" "$name" "$count"
else
    set -- "$@" env -i --
fi
set -- "$@" 'PATH=/usr/local/bin:/usr/bin:/bin'
set -- "$@" 'LC_ALL=C'
set -- "$@" 'TZ=UTC0'
set -- "$@" "KTEST_FILE=$folder/objects.ktest"
[ -n "$perl" ] || set -- "$@" "$program"
set -- "$@" ''

run() {
    umask 0022
    exec 2>&9 9>&-
    exec "$@"
}
{
    # shellcheck disable=SC2002 # It is to be a pipe.
    cat "$folder/stdin" | (run "$@")
    status=$?
} 9>&2 2>/dev/null
exit "$status"
