"""The doctor: what an application, its framework and its server read of requests with a second meaning.

It asks an application that runs: places that disagree are readings, and an answer that shows it is a finding.
``postel doctor`` is the command, and ``postel.doctor.examine`` the same in this process. Nothing else in this
package needs the doctor.
"""

from postel.doctor._application import ApplicationError
from postel.doctor._disagreement import Disagreement
from postel.doctor._examination import Examination, Reading, examine

__all__ = ["ApplicationError", "Disagreement", "Examination", "Reading", "examine"]
