; The sum of two sizes wraps, so the check after it passes.
(set-logic QF_BV)
(set-info :status sat)
(declare-const n (_ BitVec 32))
(declare-const m (_ BitVec 32))
(assert (bvult (bvadd n m) #x00000400))
(assert (bvult #x00001000 n))
(check-sat)
