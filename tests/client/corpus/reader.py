#!/usr/bin/env python3
"""Reads the data again and again, and renews its token when it is refused. One file, to be copied.

MRS_POLL_INTERVAL: seconds between two reads, 0.2 to try it out; a minute suits a service.
"""
import json, os, sys, time
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

BASE = os.environ["MRS_BASE_URL"]
POLL = float(os.environ.get("MRS_POLL_INTERVAL", "0.2"))
FORM = urlencode(
    {
        "grant_type": "client_credentials",
        "client_id": os.environ["MRS_CLIENT_ID"],
        "client_secret": os.environ["MRS_CLIENT_SECRET"],
    }
).encode()
TROUBLE = (OSError, HTTPException, ValueError, KeyError)  # No answer, half of one, or one that is no JSON.


class NoRedirect(HTTPRedirectHandler):
    """A redirect could carry the secret elsewhere."""

    def redirect_request(self, *_):
        return None


opener = build_opener(NoRedirect)


def call(path, headers, form=None):
    """Status, headers and body."""
    request = Request(BASE + path, form, {"Accept": "application/json", **headers})
    try:
        answer = opener.open(request, timeout=10)
    except HTTPError as refusal:
        answer = refusal
    with answer:
        return answer.status, answer.headers, answer.read()


def ask():
    """Asks until there is a token, and waits longer each time."""
    wait = 0.5
    while True:
        pause = wait
        try:
            status, headers, body = call("/token/", {}, FORM)
            if status == 200:
                return json.loads(body)["token"]
            print(f"no token: {status}", file=sys.stderr)
            if headers.get("Retry-After", "").isdigit():
                pause = max(wait, int(headers["Retry-After"]))
        except TROUBLE as error:
            print(f"no token: {error}", file=sys.stderr)
        time.sleep(pause)
        wait = min(2 * wait, 60)


class Reader:
    token = None

    def read(self):
        self.token = self.token or ask()
        status, _, body = self.get()
        if status == 403:  # Once: a 403 that stays is about something else.
            self.token = ask()
            status, _, body = self.get()
        if not 200 <= status <= 299:
            raise OSError(f"no data: {status}")
        return json.loads(body)

    def get(self):
        return call("/ods_data/", {"Authorization": f"Bearer {self.token}"})


reader, pause = Reader(), POLL
while True:
    try:
        reader.read()
        pause = POLL
    except TROUBLE as error:
        print(error, file=sys.stderr)
        pause = min(2 * pause, 60)  # Whatever it is, asking faster mends nothing.
    time.sleep(pause)
