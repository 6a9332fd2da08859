extension Configuration {
    /// Where the server listens, for commands that only talk with it. What is wrong with other settings, or with other
    /// lines of the configuration file, does not keep a command from asking.
    package static func listen(from source: SettingSource) throws(SettingFaults) -> ListenAddress {
        try source.demandAlone("LISTEN") { $0.listen() }
    }
}

extension SettingReader {
    mutating func listen() -> ListenAddress {
        parsed(
            "LISTEN", default: .unix(path: "/run/gatehouse/gatehouse.sock"),
            expecting: "unix:/path or tcp:address:port, the address in digits", ListenAddress.init)
    }
}
