# Plain text, RTF, and files that are something else.
printf 'plain text\nmore\n' >plain.doc
printf '{\\rtf1\\ansi {\\b bold} text\\par end}' >a.rtf
catdoc plain.doc
catdoc a.rtf
catdoc -w -d utf-8 plain.doc
catdoc -V
catdoc -l
xls2csv plain.doc
xls2csv -V
xls2csv nowhere.xls
xls2csv -q 1 plain.doc
xls2csv -l
catppt plain.doc
catppt -V
