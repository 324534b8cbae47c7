"""A page that shows a URL: its components, its faults, and what each reader makes of it."""
