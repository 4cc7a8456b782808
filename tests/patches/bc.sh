# Ordinary calculations with bc and dc.
echo '2^64 + 1; 17 / 4; scale = 5; 17 / 4' >sums
bc sums </dev/null
echo 'define f(n) { if (n < 2) return 1; return n * f(n - 1); } f(12)' | bc
printf 'obase = 16\n255\nibase = 2\n1011\nquit\n' | bc
echo 'for (i = 0; i < 5; i++) { if (i % 2) print i, " odd\n" else i }' | bc -q
echo 's(1); e(1)' | bc -l
echo '2 3 + p 10 k 2 v p 7 3 ~ f' | dc
echo '[la1+dsa*pla10>y]sy 0sa1 lyx' | dc
dc -e '16 o 255 p 2 i 1011 p'
echo '5 [odd] [even] 3 R p c z p' | dc
printf '8 9 * p\nq\n' >numbers; dc -f numbers
