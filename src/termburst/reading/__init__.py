"""From files and tables to documents."""
