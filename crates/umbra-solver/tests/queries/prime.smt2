; 1009 is prime.
(set-logic QF_BV)
(set-info :status unsat)
(declare-const p (_ BitVec 8))
(declare-const q (_ BitVec 8))
(assert (bvult #x01 p))
(assert (bvule p q))
(assert (= (bvmul ((_ zero_extend 8) p) ((_ zero_extend 8) q)) #x03f1))
(check-sat)
