import DevelopmentHTTP
import Text

/// A page of a stand-in.
struct WebPage {
    let title: String
    /// HTML.
    let content: String
    var status = "200 OK"

    var reply: HTTPReply {
        var reply = HTTPReply(status: status, body: Array(html.utf8))
        reply.contentType = "text/html; charset=utf-8"
        // As at the providers: no other site may show the page in a frame, and no cache may keep it.
        return reply.adding("Cache-Control", "no-store").adding("X-Frame-Options", "DENY")
    }

    private var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(HTML.escape(title))</title>
        <style>\(Self.style)</style>
        </head>
        <body>
        <main>
        <h1>\(HTML.escape(title))</h1>
        \(content)
        </main>
        </body>
        </html>

        """
    }

    private static let style = """
        body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; background: Canvas; color: CanvasText; }
        main { max-width: 26rem; margin: 3rem auto; padding: 0 1rem; }
        label { display: block; margin: 1rem 0; }
        input:not([type=checkbox]) { display: block; width: 100%; box-sizing: border-box; font: inherit; padding: .4rem; }
        button { font: inherit; padding: .4rem 1rem; margin-right: .5rem; }
        code { overflow-wrap: anywhere; }
        """
}

extension WebPage {
    /// A fault that the user sees, and the client does not.
    static func fault(of provider: String, _ error: String, _ reason: String) -> WebPage {
        WebPage(
            title: "\(provider) refuses the request",
            content: """
                <p><code>\(HTML.escape(error))</code></p>
                <p>\(HTML.escape(reason))</p>
                <p>This is a stand-in for \(HTML.escape(provider)), for development.</p>
                """, status: "400 Bad Request")
    }

    /// What a provider tells a user without sending the browser anywhere.
    static func notice(of provider: String, _ text: String) -> WebPage {
        WebPage(title: provider, content: "<p>\(HTML.escape(text))</p>")
    }
}
