import DevelopmentHTTP
import JSON

/// A kind of provider: its own endpoints, and those that control it.
protocol ProviderKind: Sendable {
    /// The answer of one of its own endpoints; nil for any other path.
    ///
    /// - Parameter path: the path below the one of the kind.
    func answer(_ request: HTTPRequest, at path: String, now: Int64) -> HTTPAction?

    /// The answer of an endpoint that controls it. Real providers do not have these.
    func control(_ request: HTTPRequest, at path: String, now: Int64) throws -> JSONObject
}
