"""What all studies share: settings, runs, tables, figures."""
