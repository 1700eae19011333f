"""Best responses and compromises with them: restricted Nash, belief MDPs."""
