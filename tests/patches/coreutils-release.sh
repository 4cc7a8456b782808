# Ordinary uses on small files and on standard input.
printf 'one:1:x\ntwo:22:y\nthree:3:z\n' >a
seq 1 12 >b; printf 'b\na\na\nc\n' >c
cut -d: -f2 a
cut -c1-3,5 a
cut -s -d: -f1,3 --output-delimiter=/ a
expr 3 + 4 '*' 2
expr length abcdef
expr abc : 'a\(.\)'
fold -w 4 a
fold -s -w 6 a
head -n 2 a
head -c 5 a
head -n -1 b c
numfmt --to=iec 4096
echo '1K 2' | numfmt --from=si --field=1
seq 3
seq 1 2 9
seq -w 8 11
sort c
sort -t: -k2,2n a
sort -ru c
tail -n 2 b
tail -n +10 b
tail -c 4 b
tr a-z A-Z <a
tr -d 0-9 <a
tr -s a <c
uniq -c c
sort c | uniq -d
wc a b
wc -l <b
wc -c -m a
