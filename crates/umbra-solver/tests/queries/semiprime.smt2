; 2021 is 43 times 47.
(set-logic QF_BV)
(set-info :status sat)
(declare-const p (_ BitVec 8))
(declare-const q (_ BitVec 8))
(assert (bvult #x01 p))
(assert (bvule p q))
(assert (= (bvmul ((_ zero_extend 8) p) ((_ zero_extend 8) q)) #x07e5))
(check-sat)
