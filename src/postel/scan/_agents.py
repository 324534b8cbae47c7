"""Agents: what a User-Agent says of who asks, as far as one believes it."""

from __future__ import annotations

import re
from typing import Final

from postel.scan._line import ABSENT

BROWSER: Final = "browser"
CRAWLER: Final = "crawler"
"""It follows links, and says so."""
PROGRAM: Final = "program"
NONE: Final = "none"

_CRAWLS: Final = re.compile(rb"(?i)bot\b|crawl|spider|slurp|externalhit|preview")
_BROWSES: Final = re.compile(rb"Mozilla/5\.0 \((?!compatible).*(?:Gecko|AppleWebKit|Trident)|Opera/")
_ATTACKS: Final = re.compile(
    rb"(?i)nikto|sqlmap|nuclei|nmap|masscan|zgrab|gobuster|dirbuster|wpscan|acunetix|nessus|qualys|burp|fuzz|scan"
)


def agent_class(agent: bytes) -> str:
    """``browser``, ``crawler``, ``program``, or ``none`` where nothing is said.

    >>> agent_class(b"Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0")
    'browser'
    >>> agent_class(b"curl/8.5.0"), agent_class(b"-")
    ('program', 'none')
    """
    if agent in ABSENT:
        return NONE
    agent = agent[:1000]
    if _ATTACKS.search(agent):
        return PROGRAM
    if _CRAWLS.search(agent):
        return CRAWLER
    return BROWSER if _BROWSES.match(agent) else PROGRAM
