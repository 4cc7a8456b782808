; The least number divided by minus one is itself.
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 24))
(declare-const y (_ BitVec 24))
(assert (and (= x #x800000) (= y #xffffff)))
(assert (not (= (bvsdiv x y) x)))
(check-sat)
