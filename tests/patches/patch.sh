# Five ordinary uses of patch: apply, take back, a context diff to another file, several files with a
# folder stripped, one hunk that does not fit.
seq 1 9 | sed 's/$/ line/' >old
sed -e '4s/line/LINE/' -e '7d' old >new
diff -u old new >unified.diff
diff -c old new >context.diff
cp old one; patch one unified.diff
cp new two; patch -R two <unified.diff
patch -o three old context.diff
mkdir -p a b; cp old a/x; cp new b/x; echo more >a/y; echo most >b/y
diff -ru a b >tree.diff
mkdir t; cp a/* t; patch -p1 -d t <tree.diff
sed 's/4/four/' old >four; patch --dry-run four unified.diff
