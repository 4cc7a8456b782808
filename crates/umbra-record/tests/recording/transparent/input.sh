printf 'a\nb\nc\n' > f
(bin/probe line; cat) < f
printf 'a\nb\nc\n' | (bin/probe line; cat)
printf 'twelve bytes' | (bin/probe scatter; cat)
printf 'twelve bytes' | (bin/probe dup; cat)
bin/probe line < /dev/null
echo text | bin/probe cat /dev/stdin
