test "$(umbra-build/count four)" = 4 && umbra-build/other ""
