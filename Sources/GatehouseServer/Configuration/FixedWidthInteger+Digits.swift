extension FixedWidthInteger {
    /// Reads decimal digits and nothing else. The standard library's reading takes a sign as well, and whoever is handed
    /// the text afterwards may understand it otherwise.
    init?(digits text: some StringProtocol) {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        self.init(text)
    }
}
