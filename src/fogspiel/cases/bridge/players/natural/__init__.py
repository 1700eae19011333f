"""How defenders play by rule: which card is led, followed with and thrown away."""
