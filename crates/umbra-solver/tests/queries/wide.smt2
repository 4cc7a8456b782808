; 128-bit product of two 64-bit numbers: the high half is what it should be.
(set-logic QF_BV)
(set-info :status sat)
(declare-const x (_ BitVec 64))
(define-fun wide ((v (_ BitVec 64))) (_ BitVec 128) ((_ zero_extend 64) v))
(assert (= ((_ extract 127 64) (bvmul (wide x) (wide #x0000000000010001))) #x0000000000000003))
(check-sat)
