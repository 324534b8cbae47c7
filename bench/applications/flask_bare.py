"""Flask without postel."""

from flask import Flask, request

app = Flask(__name__)


@app.get("/articles/<article>/comments")
def comments(article: str) -> str:
    """Read path and query, as an application does."""
    return f"{article} {request.args['page']}"
