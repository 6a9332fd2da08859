// Declarations of what the documentation uses of swift-http-types.
public struct HTTPField: Sendable {
    public struct Name: Hashable, Sendable {
        public init?(_ name: String) { fatalError() }
        public static var wwwAuthenticate: Self { fatalError() }
    }
}

public struct HTTPFields: Sendable {
    public subscript(name: HTTPField.Name) -> String? {
        get { fatalError() }
        set { fatalError() }
    }
}

public struct HTTPRequest: Sendable {
    public struct Method: Hashable, Sendable {
        public let rawValue: String
    }
    public var method: Method {
        get { fatalError() }
        set { fatalError() }
    }
    public var path: String? {
        get { fatalError() }
        set { fatalError() }
    }
    public var headerFields: HTTPFields {
        get { fatalError() }
        set { fatalError() }
    }
}

public struct HTTPResponse: Sendable {
    public struct Status: Hashable, Sendable {
        public let code: Int
        public static var unauthorized: Self { fatalError() }
    }
    public var status: Status {
        get { fatalError() }
        set { fatalError() }
    }
    public var headerFields: HTTPFields {
        get { fatalError() }
        set { fatalError() }
    }
}
