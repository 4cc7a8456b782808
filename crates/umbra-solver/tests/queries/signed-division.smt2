; Towards zero: a remainder of -3 by 7 needs a negative dividend.
(set-logic QF_BV)
(set-info :status sat)
(declare-const x (_ BitVec 16))
(assert (= (bvsrem x #x0007) #xfffd))
(assert (= (bvsdiv x #x0007) #xfff0))
(check-sat)
