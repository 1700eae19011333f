"""HTTP/1.x as players of games speak it: small messages, hard limits."""
