extension Configuration {
    /// Where the server listens, for commands that want nothing else than to talk with it.
    package static func listen(from source: SettingSource) throws(SettingFaults) -> ListenAddress {
        var settings = SettingReader(source)
        let address = settings.listen()
        guard settings.faults.isEmpty else { throw SettingFaults(faults: settings.faults) }
        return address
    }
}

extension SettingReader {
    mutating func listen() -> ListenAddress {
        parsed(
            "LISTEN", default: .unix(path: "/run/gatehouse/gatehouse.sock"),
            expecting: "unix:/path or tcp:address:port, the address in digits", ListenAddress.init)
    }
}
