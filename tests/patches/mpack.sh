# A message made of a file, and messages unpacked.
echo 'some text' >text; printf '\001\002\003binary' >binary
mpack -s subject -o message text
mpack -s subject -d text -o other binary
munpack -t message
munpack -q -f other
printf 'Subject: x\nContent-Type: text/plain\n\nhello\n' | munpack -t
printf 'From: a\nMIME-Version: 1.0\nContent-Type: application/octet-stream; name="x.bin"\nContent-Transfer-Encoding: base64\n\naGVsbG8=\n' | munpack
munpack nowhere
