test "$(umbra-build/count four)" = 4
