r"""Access logs: what a policy would do with past requests.

>>> from postel.scan import FORMATS, Tally, count_stream
>>> import io
>>> log = io.BytesIO(b'192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "GET /a%00 HTTP/1.1" 404 0\n')
>>> tally = count_stream(log)
>>> tally.requests, tally.refused["standard"]
(1, 1)
>>> (tally + tally).requests
2
"""

from postel.scan._comparison import EarlierReport, compared
from postel.scan._detection import FORMATS, detect
from postel.scan._json_lines import Fields, JsonLines
from postel.scan._line import Entry, LineFormat, Unreadable
from postel.scan._log_format import described
from postel.scan._opening import LogError
from postel.scan._page import page_of
from postel.scan._parts import Part, Progress, count_parts, count_stream, parts_of
from postel.scan._span import Span
from postel.scan._summary import Summary
from postel.scan._tally import Excerpt, Row, Tally
from postel.scan._text import report_lines

__all__ = [
    "FORMATS",
    "EarlierReport",
    "Entry",
    "Excerpt",
    "Fields",
    "JsonLines",
    "LineFormat",
    "LogError",
    "Part",
    "Progress",
    "Row",
    "Span",
    "Summary",
    "Tally",
    "Unreadable",
    "compared",
    "count_parts",
    "count_stream",
    "described",
    "detect",
    "page_of",
    "parts_of",
    "report_lines",
]
