"""The catalogue: each kind of fault is a member of one enum, described by one row."""
