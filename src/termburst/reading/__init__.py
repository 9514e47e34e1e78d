"""Files and tables → documents."""
