"""Information sets in native code: all steps that fit what one role did and saw."""
