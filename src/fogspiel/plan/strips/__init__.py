"""The games of Smith and Nau's own model: states are sets of atoms, moves add and delete some."""
