# Ordinary comparisons of two and of three files, and of folders.
seq 1 20 | sed 's/$/ line/' >a
sed -e '4s/line/LINE/' -e '9d' a >b
sed -e '15s/line/other/' a >c
mkdir x y; cp a x/f; cp b y/f; echo only >x/g
diff a b
diff -u a b
diff -c -i a b
diff -rq x y
diff -y -W 60 a b
cmp a b
cmp -l a b
cmp -s a a
cmp -n 20 a c
cmp a nowhere
diff3 a b c
diff3 -m b a c
diff3 -e b a c
diff3 a a a
diff3 -A b a c
sdiff -s a b
sdiff -w 50 a c
sdiff -l a b
sdiff a a
sdiff -i a b
