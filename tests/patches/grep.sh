# Ordinary searches.
printf 'alpha\nbeta one\ngamma 12\nAlpha 2\n' >text; printf 'beta\n2\n' >words
grep alpha text
grep -in '^al' text
grep -c -v one text
grep -E '(one|[0-9]{2})$' text
grep -F -f words text
