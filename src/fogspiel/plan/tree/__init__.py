"""Decision trees by task decomposition: built, evaluated, followed and explained."""
