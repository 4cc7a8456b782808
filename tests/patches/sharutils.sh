# Encode, decode, make and unpack shell archives.
seq 1 30 >a; printf '\001\002' >b
uuencode a a >a.uu
uuencode -m b b >b.uu
uudecode -o c a.uu
uudecode -o - b.uu
shar a b >x.shar
shar -q a >y.shar
mkdir t; unshar -d t y.shar
uuencode nowhere x
uudecode nowhere
