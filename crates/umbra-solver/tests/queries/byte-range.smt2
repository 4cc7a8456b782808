; A letter that is neither upper nor lower case.
(set-logic QF_BV)
(set-info :status unsat)
(declare-const c (_ BitVec 8))
(assert (or (and (bvule #x41 c) (bvule c #x5a)) (and (bvule #x61 c) (bvule c #x7a))))
(assert (not (= ((_ extract 6 6) c) #b1)))
(check-sat)
