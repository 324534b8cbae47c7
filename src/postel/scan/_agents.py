"""Agents: classify clients by their User-Agent, which can be false."""

from __future__ import annotations

import re
from typing import Final

from postel.scan._line import ABSENT

BROWSER: Final = "browser"
CRAWLER: Final = "crawler"
"""A crawler, which follows links and names itself in its agent."""
SCANNER: Final = "scanner"
"""A scanner, which searches for vulnerabilities and names itself in its agent."""
PROGRAM: Final = "program"
"""Anything else: a library, an application, an unknown browser."""
NONE: Final = "none"

LONGEST: Final = 1000
"""How many octets of an agent are examined."""

_CRAWLS: Final = re.compile(rb"(?i)bot\b|crawl|spider|slurp|externalhit|preview")
_BROWSES: Final = re.compile(rb"Mozilla/5\.0 \((?!compatible).*(?:Gecko|AppleWebKit|Trident)|Opera/")
_ATTACKS: Final = re.compile(
    rb"(?i)\b(?:nikto|sqlmap|nuclei|nmap|masscan|zgrab|gobuster|dirbuster|feroxbuster|ffuf|wfuzz|wpscan|acunetix"
    rb"|fuzz faster u fool|nessus|openvas|qualys|burp|katana|projectdiscovery|censys|leakix|l9explore"
    rb"|l9tcpid)"
)
"""Matches names of tools. The word "scan" would also match applications that scan barcodes."""


def agent_class(agent: bytes) -> str:
    """Classify a User-Agent: ``browser``, ``crawler``, ``scanner``, ``program``, or ``none`` without one.

    >>> agent_class(b"Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0")
    'browser'
    >>> agent_class(b"curl/8.5.0"), agent_class(b"-")
    ('program', 'none')
    """
    if agent in ABSENT:
        return NONE
    agent = agent[:LONGEST]
    if _ATTACKS.search(agent):
        return SCANNER
    if _CRAWLS.search(agent):
        return CRAWLER
    return BROWSER if _BROWSES.match(agent) else PROGRAM
