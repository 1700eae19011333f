"""Reader of POGDDL: text to domain and problem, all faults reported."""
