import Gatehouse

/// Answers that a browser shows or follows. They are neither kept, nor framed by other pages, and the address of the page is
/// not told to others, because it may contain a code.
extension Response {
    private static let browserHeaders = [
        Header("Referrer-Policy", "no-referrer"), Header("X-Frame-Options", "DENY"),
        Header("X-Content-Type-Options", "nosniff"),
    ]

    /// Sends the browser to another address, with a GET: after a 307, it would post the provider's form there once more. Nil for
    /// an address that is not safe to write.
    static func seeOther(_ address: String, headers: [Header?] = []) -> Response? {
        guard let location = Header("Location", checking: address) else { return nil }
        let policy = Header("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'")
        return Response(status: 303, headers: [location, policy] + browserHeaders + headers.compactMap(\.self))
    }

    /// A page that says what is wrong.
    private static func page(_ page: ErrorPage) -> Response {
        let type = Header("Content-Type", "text/html; charset=utf-8")
        let policy = Header("Content-Security-Policy", checking: ErrorPage.policy)
        let headers = [type] + page.problem.headers() + browserHeaders + [policy].compactMap(\.self)
        return Response(status: page.problem.entry.status, headers: headers, body: Array(page.html.utf8))
    }

    /// The answer to a request that a browser has made for a page: an address of the app, or a page.
    static func toBrowser(_ problem: Problem, of request: Request, by policy: WebPolicy) -> Response {
        guard case .returned(let address, _, _) = problem, let response = seeOther(address) else {
            return page(ErrorPage(problem: problem, request: request, web: policy))
        }
        return response
    }
}
