"""``make playground``: serve the page on this machine, to this machine only."""

import argparse

import uvicorn

from playground.app import app


def main() -> None:
    """Read the port and serve."""
    parser = argparse.ArgumentParser(prog="playground", description="Serve a page that shows a URL.")
    parser.add_argument("--port", type=int, default=8000)
    port = parser.parse_args().port
    print(f"http://127.0.0.1:{port}/ (Ctrl-C stops it)", flush=True)
    # h11 passes the target on as it was sent.
    uvicorn.run(app, host="127.0.0.1", port=port, http="h11", log_level="warning")


if __name__ == "__main__":
    main()
