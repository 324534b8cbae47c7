"""The doctor: find requests that an application, its framework and its server read in two ways.

It sends requests to a running application. A reading records the places in the framework, such as
``request.url``, whose values differ from what the server passed on. A finding is an answer that shows that
the request was read in two ways.

``postel doctor`` is the command; ``postel.doctor.examine`` does the same in this process. No other part of
this package needs the doctor.
"""

from postel.doctor._application import ApplicationError
from postel.doctor._disagreement import Disagreement
from postel.doctor._examination import Examination, Reading, examine

__all__ = ["ApplicationError", "Disagreement", "Examination", "Reading", "examine"]
