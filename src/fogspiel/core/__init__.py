"""What every layer shares: findings with codes and spans, typed ids, limits, ground terms."""
