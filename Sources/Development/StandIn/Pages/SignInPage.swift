import DevelopmentHTTP
import Text

/// The page at which a user signs in at a provider. Its form posts to the page's own address, so that the parameters of
/// the request come again in the query.
struct SignInPage {
    /// A field of the form besides the user.
    enum Field {
        case text(name: String, label: String, value: String = "")
        case checkbox(name: String, label: String)
    }

    let provider: String
    /// The client's id.
    let client: String
    let redirectURI: String
    /// What the user is asked for.
    var user = "Email"
    let fields: [Field]
    /// What signs in.
    var button = "Continue"

    var reply: HTTPReply {
        WebPage(
            title: "Sign in with \(provider)",
            content: """
                <p><code>\(HTML.escape(client))</code> gets the answer at <code>\(HTML.escape(redirectURI))</code>.</p>
                <form method="post">
                <label>\(HTML.escape(user))
                <input name="user" value="ann@example.com" list="users" required autofocus autocomplete="off"></label>
                <datalist id="users"><option>ann@example.com</option><option>ben@example.com</option>
                <option>cleo@example.com</option></datalist>
                \(fields.map(Self.html).joined(separator: "\n"))
                <button name="action" value="continue">\(HTML.escape(button))</button>
                <button name="action" value="cancel" formnovalidate>Cancel</button>
                </form>
                <p>This is a stand-in for \(HTML.escape(provider)), for development: there is no password, and the same text
                is always the same user.</p>
                """
        ).reply
    }

    private static func html(of field: Field) -> String {
        switch field {
        case .text(let name, let label, let value):
            "<label>\(HTML.escape(label))\n<input name=\"\(HTML.escape(name))\" "
                + "value=\"\(HTML.escape(value))\" autocomplete=\"off\"></label>"
        case .checkbox(let name, let label):
            "<label><input type=\"checkbox\" name=\"\(HTML.escape(name))\" value=\"1\"> "
                + "\(HTML.escape(label))</label>"
        }
    }
}

/// What the user of the page has chosen.
enum SignInChoice {
    case signIn(user: String)
    case cancel(user: String?)

    /// - Parameter provider: for the refusal.
    init(_ request: HTTPRequest, at provider: String) throws(PageFault) {
        // A page of another site must not sign the browser's user in.
        guard request["sec-fetch-site"] ?? "same-origin" == "same-origin" else {
            throw PageFault("access_denied", "The form comes from a page of another origin.")
        }
        guard let form = request.form else { throw PageFault("invalid_request", "The body must be a form.") }
        switch (form["action"], form["user"]) {
        case ("continue", let user?): self = .signIn(user: user)
        case ("cancel", let user): self = .cancel(user: user)
        default:
            throw PageFault("invalid_request", "The form needs action (continue or cancel) and, to continue, user.")
        }
    }
}

/// Why a provider shows an error instead of its page.
struct PageFault: Error, Equatable {
    let error: String
    let reason: String

    init(_ error: String, _ reason: String) {
        (self.error, self.reason) = (error, reason)
    }
}
