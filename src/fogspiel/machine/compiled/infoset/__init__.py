"""Information sets in native code: all steps consistent with one role's move and percepts."""
