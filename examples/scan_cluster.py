"""Scan access logs on a Dask cluster, if one machine is too small for them.

    pip install '.[scan]' dask distributed
    python examples/scan_cluster.py --cluster tcp://scheduler:8786 /logs/access.log.*.gz

Without --cluster, processes on this machine serve as the cluster. Every worker must find the logs under the
same names. A free worker counts the next part of a log, and sends back only a tally, which is small. The sum
does not depend on which worker counted which part: it is exactly the tally of `postel scan`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from distributed import Client, LocalCluster, as_completed

from postel import Policy
from postel.scan import Part, Summary, Tally, page_of, parts_of, report_lines


def scan(
    client: Client, logs: Sequence[str], policy: Policy = Policy.STANDARD, *, size: int = 2**26
) -> Tally:
    """Count logs on a cluster, in parts of ``size`` octets."""
    parts = [part for log in logs for part in parts_of(log, size=size)]
    tally = Tally(policy)
    # pure=False: a log may have grown since it was counted before.
    for counted in as_completed(client.map(Part.count, parts, policy=policy, pure=False)):
        tally.update(counted.result())
        counted.release()
    return tally


def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("logs", nargs="+", metavar="LOG")
    parser.add_argument("--cluster", help="the address of a scheduler")
    parser.add_argument("--workers", type=int, default=2, help="how many processes to use without --cluster")
    parser.add_argument("--policy", type=Policy.parse, default=Policy.STANDARD, metavar="TEXT")
    parser.add_argument("--html", type=Path, metavar="FILE", help="also write the report as an HTML page")
    options = parser.parse_args()
    cluster = options.cluster or LocalCluster(
        n_workers=options.workers, threads_per_worker=1, dashboard_address=None
    )
    with Client(cluster) as client:
        summary = Summary.of(scan(client, options.logs, options.policy))
    if options.html:
        options.html.write_text(page_of(summary), "utf-8")
    sys.stdout.writelines(f"{line}\n" for line in report_lines(summary))


if __name__ == "__main__":
    main()
