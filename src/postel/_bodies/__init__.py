"""Bodies: forms, multipart forms and JSON, judged and handed on with one meaning."""
