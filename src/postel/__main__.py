"""``python -m postel``: the commands."""

from postel.cli import main

raise SystemExit(main())
