"""Games in POGDDL that calculate in all the ways that GDL must be taught."""

URN = """
; Balls are drawn from an urn, each as likely as there are balls of its colour; red ones are put
; back. The player may stop, or double what it has and go on; fees are charged at every draw.
(define (domain urn)
  (:types colour role)
  (:constants chance ann - role red blue - colour)
  (:predicates (whoseturn ?r - role) (stopped) (fee ?c - colour))
  (:functions (balls ?c - colour) - (number 0 2) (worth ?c - colour) - number
              (purse) - (number -5 10) (draws) - (number 0 4))
  (:action draw
    :parameters (?c - colour)
    :precondition (whoseturn chance)
    :effect (and (not (whoseturn chance)) (whoseturn ann)
                 (increase (purse) (worth ?c))
                 (forall (?d - colour) (when (fee ?d) (decrease (purse) 1/4)))
                 (when (and (= ?c blue) (> (balls blue) 0)) (decrease (balls blue) 1))
                 (increase (draws) 1)
                 (observe (all (drawn ?c)))))
  (:action double
    :precondition (and (whoseturn ann) (< (draws) 2) (> (purse) 0))
    :effect (and (not (whoseturn ann)) (whoseturn chance) (scale-up (purse) 2)))
  (:action wait
    :precondition (and (whoseturn ann) (<= (draws) 1))
    :effect (and (not (whoseturn ann)) (whoseturn chance)))
  (:action stop
    :precondition (whoseturn ann)
    :effect (stopped))
  (:choose
    :parameters (?c - colour)
    :condition (whoseturn chance)
    :select ((* 1/2 (balls ?c)) (draw ?c)))
  (:terminal (stopped))
  (:gain ann (/ (purse) 2) (>= (purse) 0))
  (:gain ann (- 0 3) (< (purse) 0))
  (:gain ?r - role 1 (= (balls blue) 0)))
(define (problem three-balls)
  (:domain urn)
  (:init (whoseturn chance) (fee red) (fee blue)
         (= (balls red) 1) (= (balls blue) 2) (= (worth red) -1) (= (worth blue) 1.5)
         (= (purse) 0) (= (draws) 0)))
"""

ENDLESS = """
(define (domain endless)
  (:types role)
  (:constants ann - role)
  (:predicates (whoseturn ?r - role) (stopped))
  (:functions (score))
  (:action go :precondition (whoseturn ann) :effect (increase (score) 1))
  (:action stop :precondition (whoseturn ann) :effect (stopped))
  (:terminal (stopped))
  (:gain ann (score) ()))
(define (problem start) (:domain endless) (:init (whoseturn ann)))
"""
