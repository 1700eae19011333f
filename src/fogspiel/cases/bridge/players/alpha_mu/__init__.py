"""The αμ search: strategies that must not depend on what declarer cannot see."""
