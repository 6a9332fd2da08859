import Gatehouse

/// The name of a file in the folder of providers.
enum ProviderFileName {
    case provider(Provider)
    /// A file of the operator's that must not be here, and why.
    case wrong(String)
    /// No file of a provider, such as a copy that an editor has left.
    case other
    /// Files of programs, such as an editor's or a volume's of a container.
    case hidden

    static let ending = ".conf"

    /// The logins that are Gatehouse's own, and are configured by other settings.
    private static let reserved: Set = ["apple", "dev", "phone", "email", "passkey"]

    init(_ file: String) {
        guard !file.hasPrefix(".") else {
            self = .hidden
            return
        }
        guard file.hasSuffix(Self.ending) else {
            self = .other
            return
        }
        let name = String(file.dropLast(Self.ending.count))
        if Self.reserved.contains(name) {
            self = .wrong("has the name of a login that has no file: choose another name")
        } else if let provider = Provider(lowercaseName: name) {
            self = .provider(provider)
        } else {
            self = .wrong(
                "must be named with up to 32 of a to z, 0 to 9 and _, the first one a letter, before \(Self.ending)")
        }
    }
}
