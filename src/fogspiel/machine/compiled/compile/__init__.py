"""The compiler: a ground program becomes a network of AND gates in evaluation order."""
