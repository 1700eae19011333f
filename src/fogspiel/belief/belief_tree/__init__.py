"""The belief state tree of NORNS: possible histories, sampled by their probability."""
