/// How a user signs in: Apple, or a provider of the name that the server's operator has chosen. Servers may add values.
public struct Provider: RawRepresentable, Codable, Hashable, Sendable {
    /// As the server writes it, in upper case.
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// - Parameter name: in any case, such as `company`.
    public init(_ name: String) { rawValue = name.uppercased() }

    public static let apple = Provider(rawValue: "APPLE")
    public static let development = Provider(rawValue: "DEV")
    public static let google = Provider(rawValue: "GOOGLE")
    public static let weChat = Provider(rawValue: "WECHAT")
    public static let qq = Provider(rawValue: "QQ")
    /// By a code that the server sends. See ``GatehouseClient/requestCode(to:resending:)``.
    public static let phone = Provider(rawValue: "PHONE")
    public static let email = Provider(rawValue: "EMAIL")
}

extension Provider: ExpressibleByStringLiteral {
    public init(stringLiteral name: String) { self.init(name) }
}
