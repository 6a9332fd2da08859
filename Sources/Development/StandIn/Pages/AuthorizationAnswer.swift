import DevelopmentHTTP
import Text

/// What a provider sends to the client through the browser.
struct AuthorizationAnswer {
    /// OAuth 2.0 Multiple Response Type Encoding Practices, and OAuth 2.0 Form Post Response Mode.
    enum Mode: String, CaseIterable, Sendable {
        case query, fragment
        case formPost = "form_post"
    }

    let provider: String
    let redirectURI: String
    let mode: Mode
    var parameters: [(name: String, value: String)]

    init(
        of provider: String, to redirectURI: String, by mode: Mode = .query, _ parameters: [(String, String?)]
    ) {
        (self.provider, self.redirectURI, self.mode) = (provider, redirectURI, mode)
        self.parameters = parameters.compactMap { name, value in value.map { (name, $0) } }
    }

    var reply: HTTPReply {
        switch mode {
        case .query: redirect(redirectURI + (redirectURI.contains("?") ? "&" : "?") + FormFields.text(of: parameters))
        case .fragment: redirect(redirectURI + "#" + FormFields.text(of: parameters))
        case .formPost: page.reply
        }
    }

    private func redirect(_ address: String) -> HTTPReply {
        HTTPReply(status: "303 See Other", body: []).adding("Location", address).adding("Cache-Control", "no-store")
    }

    /// Sends itself. Without JavaScript the user does.
    private var page: WebPage {
        let inputs = parameters.map {
            "<input type=\"hidden\" name=\"\(HTML.escape($0.name))\" value=\"\(HTML.escape($0.value))\">"
        }
        return WebPage(
            title: "Signed in with \(provider)",
            content: """
                <form method="post" action="\(HTML.escape(redirectURI))">
                \(inputs.joined(separator: "\n"))
                <button>Go on</button>
                </form>
                <script>document.forms[0].submit()</script>
                """)
    }
}
