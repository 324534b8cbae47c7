"""Usual senders: who usually sends a kind of fault, and what postel does with it.

Only kinds that appear in most logs are listed. Reports show these texts beside the evidence from the log.
"""

from __future__ import annotations

from typing import Final

from postel import Kind

USUAL_SENDERS: Final[dict[Kind, str]] = {
    Kind.EMPTY_SEGMENT: (
        "Usually a base URL with a slash at its end, joined to a path with a slash at its start; or a path "
        "that holds a URL. GET and HEAD are redirected to single slashes, unless a ':' before the slashes "
        "shows a URL; other methods are refused."
    ),
    Kind.LEADING_SLASHES: (
        "Usually a base URL with a slash at its end, joined to a path with a slash at its start; scanners "
        "send it, too. GET and HEAD are redirected to one slash; other methods are refused."
    ),
    Kind.ENCODED_DELIMITER: (
        "Usually titles and names with '?', '#' or ';' in a path, as in /wiki/C%23. They pass, unless the "
        "application runs on Starlette before 1.9: there postel.asgi refuses them, which no log can show. "
        "rebuilt_urls={'/wiki': 'safe'} then accepts them on a route whose views do not read request.url."
    ),
    Kind.DOUBLE_ESCAPE: (
        "Usually a file name or title that was escaped twice by a link or a client (My%2520File.pdf). The "
        "default policy passes it and reports it."
    ),
    Kind.UNSAFE_DOUBLE_ESCAPE: (
        "Usually a scanner, but also links in which a delimiter was escaped twice (a%252Fb, 100%2525)."
    ),
}
