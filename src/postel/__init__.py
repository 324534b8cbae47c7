"""postel: middleware that makes every URL mean one thing, and the toolkit for those who write URLs."""

from postel._catalogue import Finding, Kind
from postel._characters import ASCII, LATIN, Characters
from postel._check import Action, Component
from postel._errors import PolicyError
from postel._forms import Forms
from postel._limits import Limits
from postel._normalizer import Normalizer
from postel._observing import LogObserver
from postel._policy import TRACKING_NAMES, Policy
from postel._report import Report, report_of
from postel._sampling import Sample
from postel._table import policy_table
from postel._target import Accepted, Rejected, Target

__version__ = "0.1.0"

__all__ = [
    "ASCII",
    "LATIN",
    "TRACKING_NAMES",
    "Accepted",
    "Action",
    "Characters",
    "Component",
    "Finding",
    "Forms",
    "Kind",
    "Limits",
    "LogObserver",
    "Normalizer",
    "Policy",
    "PolicyError",
    "Rejected",
    "Report",
    "Sample",
    "Target",
    "policy_table",
    "report_of",
]
