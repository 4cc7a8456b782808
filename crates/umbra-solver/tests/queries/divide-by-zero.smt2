; Division by zero is all ones, the remainder is the dividend.
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 32))
(declare-const y (_ BitVec 32))
(assert (= y #x00000000))
(assert (or (not (= (bvudiv x y) #xffffffff)) (not (= (bvurem x y) x))))
(check-sat)
