extension Request {
    /// The token of `Authorization: Bearer …`, nil where no such credentials were sent. Never read from elsewhere.
    var bearerToken: String? {
        guard let authorization else { return nil }
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        let token = parts[1].drop { $0 == " " }
        return token.isEmpty ? nil : String(token)
    }
}
