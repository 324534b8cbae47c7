"""The middleware, apart from its protocols: its settings, and the one pipeline of both adapters."""
