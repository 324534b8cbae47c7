"""HTTP: what a server shows of a request, and how a refusal, a redirect and a report are made."""
