"""GDL and GDL-II: reader (prefix and infix), writer, checks, normal form."""
