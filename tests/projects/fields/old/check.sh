#!/bin/sh
# What the suite feeds to the programs; a test that fails says so.
set -u
folder=$(pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
expect() {
  [ "$1" = "$2" ] || { echo "expected $1, got $2"; failed=1; }
}
printf 'a b c\nd e\n' >in
expect 'b
e' "$("$folder/fields" 2 in)"
expect c "$(printf 'a b c\nd e\n' | "$folder/fields" 3)"
message=$("$folder/fields" 0 2>&1); expect "2 usage" "$? ${message%%:*}"
"$folder/fields" 1 missing 2>/dev/null; expect 2 $?
expect 1 "$(printf '1\n' | "$folder/fields" 1 - in | sed -n 1p)"
expect 2 "$("$folder/count" in)"
expect 2 "$(cat total)"
expect 2 "$("$folder/count" in)"
expect 4 "$(cat total)"
: >empty
expect 0 "$("$folder/count" empty)"
: >total
"$folder/count" in >/dev/null 2>&1; [ $? -ne 1 ] || failed=1
awk 'BEGIN { for (i = 0; i < 20; i++) printf "word%d ", i; print "" }' >long
expect word7 "$("$folder/fields" 8 long)"
expect 'b
e' "$(SECRET=hunter2 && export SECRET && "$folder/fields" 2 in)"
mkdir d d/sub
for name in m z a k q; do : >d/$name; done
expect 'a
k
m
q
sub
z' "$("$folder/names" d | sort)"
expect 6 "$(cd / && "$folder/names" "$work/d" | wc -l)"
cd "$folder" || exit 1
expect 'LC_KIND=x
b' "$(printf 'a b\n' | ./with LC_KIND=x ./fields 2)"
./with LC_KIND=x ./missing >/dev/null; expect 127 $?
exit $failed
