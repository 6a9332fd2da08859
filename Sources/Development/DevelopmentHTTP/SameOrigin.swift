extension HTTPRequest {
    package enum Scheme: String, Sendable {
        case http, https
    }

    /// Whether a page of this origin, or no page at all, has made the request. A development tool has no login, so a
    /// page of another origin must not drive it: it could sign in, delete users, read a log or switch on faults.
    ///
    /// Every browser sends `Origin` with a POST or DELETE, and current ones send `Sec-Fetch-Site` with each request.
    /// Other clients, such as curl, send neither.
    ///
    /// - Parameter scheme: the scheme of this origin; its host and port are those of the `Host` header.
    package func isFromSameOrigin(_ scheme: Scheme) -> Bool {
        let site = self["sec-fetch-site"]
        // `none`: the user has typed the address.
        guard site == nil || site == "same-origin" || (site == "none" && method == "GET") else { return false }
        guard let origin = self["origin"] else { return true }
        guard let host else { return false }
        return origin.lowercased() == "\(scheme.rawValue)://" + host.lowercased()
    }
}
