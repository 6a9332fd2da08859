"""A development server, as Vite is one: an empty page, and the API and the library of Gatehouse at the page's own origin."""

import http.client
import ssl

from other_site import EmptyPage, OtherSite


class Proxy(EmptyPage):
    def do_GET(self):
        if self.path.startswith(("/api/", "/gatehouse.js")):
            self.pass_on()
        else:
            super().do_GET()

    def do_POST(self):
        self.pass_on()

    do_PATCH = do_DELETE = do_POST

    def pass_on(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        # The certificate is of an authority for development.
        connection = http.client.HTTPSConnection(self.server.target, context=ssl._create_unverified_context())
        connection.request(self.command, self.path, body, {**self.headers, "Connection": "close"})
        answer = connection.getresponse()
        content = answer.read()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("connection", "transfer-encoding", "content-length"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


class DevelopmentProxy(OtherSite):
    """`with DevelopmentProxy(...) as origin`."""

    def __init__(self, site):
        super().__init__(port=site.other_port, page=Proxy)
        self.server.target = site.origin.removeprefix("https://")
        self.origin = f"http://localhost:{site.other_port}"
