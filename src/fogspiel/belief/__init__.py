"""What a role can know: the histories and states that fit what it did and saw, and how probable."""
