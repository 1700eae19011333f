"""Published tables, answered: studies that anyone can repeat, each with its figures beside ours."""
