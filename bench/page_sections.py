"""Read and replace sections of docs/performance.md."""

from __future__ import annotations


def section_of(page: str, title: str) -> str:
    """Return the section with this title, or an empty text if the page has none."""
    start = page.find(f"{title}\n")
    return "" if start < 0 else page[start : page.index("\n## ", start) + 1]


def with_section(page: str, title: str, section: str) -> str:
    """Return the page with this section replaced, or added in front of the last section."""
    if before := section_of(page, title):
        return page.replace(before, section)
    last = page.rindex("\n## ") + 1
    return page[:last] + section + page[last:]
