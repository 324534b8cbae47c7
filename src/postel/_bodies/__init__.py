"""JSON bodies and multipart forms, judged as pure functions of octets. Nothing here reads a stream."""
