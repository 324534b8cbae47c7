"""Bodies that are no urlencoded forms, judged as pure functions of octets. Nothing here reads a stream."""
