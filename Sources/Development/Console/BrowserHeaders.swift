import DevelopmentHTTP

extension HTTPReply {
    /// The answer with the headers for browsers. nginx adds its own only where an answer has none.
    var forBrowsers: HTTPReply {
        adding("Content-Security-Policy", "default-src 'self'").adding("X-Content-Type-Options", "nosniff")
            .adding("X-Frame-Options", "DENY").adding("Referrer-Policy", "no-referrer")
            .adding("Cache-Control", "no-store")
    }
}
