"""An API for tests that answers by a script, and keeps the requests. It is a fake: it checks nothing."""

from __future__ import annotations

import json
import pathlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

VECTORS = json.loads((pathlib.Path(__file__).parents[2] / "vectors.json").read_text())


class Script:
    """Answers in order; the last answer is given again."""

    def __init__(self, answers: list[dict[str, Any]]) -> None:
        self.asked: list[dict[str, Any]] = []
        script = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                script.asked.append({"target": self.path, "headers": dict(self.headers.items()), "body": body, "method": self.command})
                answer = answers[min(len(script.asked), len(answers)) - 1]
                self.close_connection = True
                if answer.get("lost"):
                    return
                text = answer["body"].encode()
                self.send_response(answer["status"])
                for name, value in answer.get("headers", {}).items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(text) + (10 if answer.get("cut") else 0)))
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_POST = do_PUT = answer

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def __enter__(self) -> Script:
        return self

    def __exit__(self, *_: Any) -> None:
        self._server.shutdown()
        self._server.server_close()
