; Two 16-bit numbers do not wrap in 32 bits.
(set-logic QF_BV)
(set-info :status unsat)
(declare-const n (_ BitVec 16))
(declare-const m (_ BitVec 16))
(define-fun sum () (_ BitVec 32) (bvadd ((_ zero_extend 16) n) ((_ zero_extend 16) m)))
(assert (bvult sum ((_ zero_extend 16) n)))
(check-sat)
