extension SettingReader {
    /// The address that clients use, from the setting or else from the file that `gatehouse-nginx` writes.
    mutating func publicAddress() -> PublicAddressSetting {
        let name = "PUBLIC_URL"
        let form = "the https origin that clients use, such as https://api.example.com, or off"
        if let text = text(name) {
            if let setting = Self.publicAddress(text) { return setting }
            note(name, "must be \(form)")
            return .off
        }
        guard let (path, text) = fallback(for: name) else { return .unknown }
        if let setting = Self.publicAddress(text) { return setting }
        // Nothing that serves depends on it: the server starts all the same.
        warn("\(path) is ignored, because it does not hold \(form): run gatehouse-nginx, or set \(name)")
        return .unknown
    }

    private static func publicAddress(_ text: String) -> PublicAddressSetting? {
        text == "off" ? .off : PublicAddress(text).map(PublicAddressSetting.address)
    }
}
