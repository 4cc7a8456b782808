; A number that is not equal to itself is not a number.
(set-logic QF_BVFP)
(set-info :status unsat)
(declare-const a (_ BitVec 32))
(define-fun f () (_ FloatingPoint 8 24) ((_ to_fp 8 24) a))
(assert (not (fp.eq f f)))
(assert (bvult (bvand a #x7fffffff) #x7f800000))
(check-sat)
