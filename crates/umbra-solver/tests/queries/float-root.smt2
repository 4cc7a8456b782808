; A positive number whose square root is above itself is below one.
(set-logic QF_BVFP)
(set-info :status sat)
(declare-const a (_ BitVec 32))
(define-fun f () (_ FloatingPoint 8 24) ((_ to_fp 8 24) a))
(assert (fp.lt f (fp.sqrt RNE f)))
(assert (fp.lt ((_ to_fp 8 24) #x3e800000) f))
(check-sat)
