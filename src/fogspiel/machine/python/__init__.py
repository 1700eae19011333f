"""Games that users write as Python classes: methods asked with care, and a machine on them."""
