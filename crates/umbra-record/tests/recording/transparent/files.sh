echo 1 > f; bin/probe cat f; echo 2 > f; bin/probe cat f
bin/probe truncate f; cat f; echo
bin/probe make; ls made
odd=$(printf 'odd \377 name\nline'); echo odd > "$odd"; bin/probe cat "$odd"
bin/probe thread f
bin/probe cat none /none/none f/below bin
ln -s loop loop; bin/probe cat loop
bin/probe list bin; bin/probe stat f none
