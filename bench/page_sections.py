"""Sections of the page about performance that programs of their own write."""

from __future__ import annotations


def section_of(page: str, title: str) -> str:
    """The section with this title; empty if the page has none."""
    start = page.find(f"{title}\n")
    return "" if start < 0 else page[start : page.index("\n## ", start) + 1]


def with_section(page: str, title: str, section: str) -> str:
    """A page with that section, in front of the last one if it has none yet."""
    if before := section_of(page, title):
        return page.replace(before, section)
    last = page.rindex("\n## ") + 1
    return page[:last] + section + page[last:]
