"""HTTP: read a request as the server passes it on, and make refusals, redirects and reports."""
