"""Another web site: an empty page, over HTTPS at a port of its own, or over HTTP."""

import http.server
import ssl
import threading


class EmptyPage(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        page = b"<!doctype html><title>Another site</title>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_):
        pass


class OtherSite:
    """`with OtherSite(...) as origin`."""

    def __init__(self, certificates=None, port=0, page=EmptyPage):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), page)
        port = self.server.server_address[1]
        self.origin = f"http://127.0.0.1:{port}"
        if certificates:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificates + "/certificate.pem", certificates + "/certificate.key")
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
            self.origin = f"https://localhost:{port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self.origin

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
