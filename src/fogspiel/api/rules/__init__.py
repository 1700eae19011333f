"""Rules as text: opened, checked and translated; and what there is to choose from by name."""
