"""Receives webhooks on port 4401 and prints each event once."""

import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from marketplace_client import WebhookVerificationError, verify_webhook

SECRET = os.environ["WEBHOOK_SECRET"]
PORT = int(os.environ.get("PORT", "4401"))
seen: set[str] = set()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            event = verify_webhook(SECRET, dict(self.headers), body)
        except WebhookVerificationError:
            self.send_error(400)
            return
        # The answer comes first: a slow receiver gets the event again.
        self.send_response(204)
        self.end_headers()
        if event.id not in seen:
            seen.add(event.id)
            print(event.timestamp.isoformat(), event.type, event.data, flush=True)

    def log_message(self, *_: object) -> None:
        pass


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", PORT), Receiver).serve_forever()
