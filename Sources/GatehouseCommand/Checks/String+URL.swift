extension String {
    /// Of a URL: the host, and the port where one is given.
    var host: String {
        let rest = drop { $0 != "/" }.drop { $0 == "/" }
        return String(rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" })
    }

    /// Of a URL: all that may be printed. A query may hold a secret.
    var withoutQuery: String { String(prefix { $0 != "?" && $0 != "#" }) }
}
