import Gatehouse

/// Answers that a browser shows or follows. They are neither kept, nor framed by other pages, and the address of the page is
/// not told to others, because it may contain a code.
extension Response {
    private static let browserHeaders = [
        Header("Referrer-Policy", "no-referrer"), Header("X-Frame-Options", "DENY"),
        Header("X-Content-Type-Options", "nosniff"),
        Header("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'"),
    ]

    /// Sends the browser to another address, with a GET: after a 307, it would post the provider's form there once more. Nil for
    /// an address that is not safe to write.
    static func seeOther(_ address: String, headers: [Header?] = []) -> Response? {
        guard let location = Header("Location", checking: address) else { return nil }
        return Response(status: 303, headers: [location] + browserHeaders + headers.compactMap(\.self))
    }

    /// A page that says what is wrong. All of its text is Gatehouse's own.
    static func page(_ problem: Problem, requestID: String) -> Response {
        let entry = problem.entry
        let page = """
            <!DOCTYPE html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>\(ReasonPhrase.of(entry.status))</title>
            <h1>This sign-in cannot go on</h1>
            <p>\(entry.detail)</p>
            <p><small>\(entry.code), request \(requestID)</small></p>
            </html>

            """
        let type = Header("Content-Type", "text/html; charset=utf-8")
        return Response(
            status: entry.status, headers: [type] + problem.headers() + browserHeaders, body: Array(page.utf8))
    }

    /// The answer to a request that a browser has made for a page: an address of the app, or a page.
    static func toBrowser(_ problem: Problem, requestID: String) -> Response {
        guard case .returned(let address, _, _) = problem, let response = seeOther(address) else {
            return page(problem, requestID: requestID)
        }
        return response
    }
}
