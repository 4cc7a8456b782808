; A shift by the width or more leaves nothing, or the sign.
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 13))
(declare-const s (_ BitVec 13))
(assert (bvule #b0000000001101 s))
(assert (or (not (= (bvshl x s) #b0000000000000)) (not (= (bvlshr x s) #b0000000000000))
            (and (bvslt x #b0000000000000) (not (= (bvashr x s) #b1111111111111)))))
(check-sat)
