import DevelopmentHTTP

extension HTTPRequest {
    /// Whether a page of this origin, or no page at all, has made the request. The console is a development tool
    /// without a login, so a page of another origin must not drive it: it could sign in, read the log or switch on
    /// faults.
    ///
    /// Every browser sends `Origin` with a POST or DELETE, and current ones send `Sec-Fetch-Site` with each request.
    /// Other clients, such as curl, send neither.
    var isFromSameOrigin: Bool {
        let site = self["sec-fetch-site"]
        // `none`: the user has typed the address.
        guard site == nil || site == "same-origin" || (site == "none" && method == "GET") else { return false }
        guard let origin = self["origin"] else { return true }
        guard let host else { return false }
        return origin.lowercased() == "https://" + host.lowercased()
    }
}

extension HTTPReply {
    /// The answer with the headers for browsers. nginx adds its own only where an answer has none.
    var forBrowsers: HTTPReply {
        adding("Content-Security-Policy", "default-src 'self'").adding("X-Content-Type-Options", "nosniff")
            .adding("X-Frame-Options", "DENY").adding("Referrer-Policy", "no-referrer")
            .adding("Cache-Control", "no-store")
    }
}
