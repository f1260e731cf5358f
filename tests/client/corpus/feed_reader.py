#!/usr/bin/env python3
"""Reads a feed without tokens again and again, and prints how many records it holds. One file, to be copied.

MRS_DATA_URL: the feed. MRS_POLL_INTERVAL: seconds between two reads, 0.2 to try it out; a minute suits a feed.
"""
import json, os, sys, time
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import Request, urlopen

URL = os.environ["MRS_DATA_URL"]
POLL = float(os.environ.get("MRS_POLL_INTERVAL", "0.2"))
TROUBLE = (OSError, HTTPException, ValueError)  # No answer, half of one, or one that is not a schedule.

records, etag = [], None  # What it holds, and the version of what was read last.


def runs(record):
    """Whether the observation is under way. A feed that lost its records looks as if they were cancelled."""
    start, end = (record[name].rstrip("Z")[:19] for name in ("src_start_utc", "src_end_utc"))
    return start <= time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime()) < end


def key(record):
    return record["site_id"], record.get("src_id"), record["src_start_utc"].rstrip("Z")[:19]


def read():
    """Replaces the records by those of the feed. Raises one of TROUBLE if it has none, and changes nothing then."""
    global records, etag
    headers = {"If-None-Match": etag} if etag else {}
    with urlopen(Request(URL, headers=headers), timeout=10) as answer:
        body = json.load(answer)
    if not isinstance(body, dict) or not isinstance(body.get("ods_data"), list):
        raise ValueError("the answer has no list of records")
    listed = {key(record) for record in body["ods_data"]}
    kept = [record for record in records if runs(record) and key(record) not in listed]
    records, etag = body["ods_data"] + kept, answer.headers.get("ETag")


pause = POLL
while True:
    wait = 0
    try:
        read()
        pause = POLL
    except HTTPError as answer:
        if answer.code == 304:  # What it has is current.
            pause = POLL
        else:
            print(f"no schedule: {answer.code}", file=sys.stderr)
            pause = min(2 * pause, 60)
            if answer.headers.get("Retry-After", "").isdigit():
                wait = int(answer.headers["Retry-After"])
    except TROUBLE as error:
        print(f"no schedule: {error}", file=sys.stderr)
        pause = min(2 * pause, 60)  # Asking faster fixes nothing.
    print(json.dumps({"records": len(records)}), flush=True)
    time.sleep(max(pause, wait))
