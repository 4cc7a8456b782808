test: count
	test "$$(./count four)" = 4
