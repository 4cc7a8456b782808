# Ordinary searches in a small tree, and commands made of words.
mkdir -p t/d/e; echo one >t/a; seq 1 30 >t/d/b; ln -s a t/l; touch -d @0 t/d/e/old
find t
find t -type f -name '[ab]'
find t -maxdepth 1 -newer t/d/e/old
find t -size +10c -o -type l
find t -name old -mtime +1 -print0
find t -type f -printf '%p %s\n'
find t/d -empty -delete
echo a b c | xargs
echo a b c | xargs -n 1 echo x
printf 'a b\0c\0' | xargs -0 -I{} echo '<{}>'
echo 1 2 3 4 | xargs -s 30 echo
xargs -r echo </dev/null
