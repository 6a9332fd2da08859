extension Configuration {
    /// Where the server listens, for commands that want nothing else than to talk with it.
    package static func listen(from source: SettingSource) throws(SettingFaults) -> ListenAddress {
        try source.demand { $0.listen() }
    }
}

extension SettingReader {
    mutating func listen() -> ListenAddress {
        parsed(
            "LISTEN", default: .unix(path: "/run/gatehouse/gatehouse.sock"),
            expecting: "unix:/path or tcp:address:port, the address in digits", ListenAddress.init)
    }
}
