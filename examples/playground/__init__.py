"""A page where one can see a URL: its components, what is wrong with it, and who reads what of it."""
