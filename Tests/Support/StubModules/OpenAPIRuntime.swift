// Declarations of what the documentation uses of swift-openapi-runtime.
public import Foundation
public import HTTPTypes

public final class HTTPBody: Sendable {
    public enum IterationBehavior: Sendable { case single, multiple }
    public let iterationBehavior: IterationBehavior

    init(_ iterationBehavior: IterationBehavior) { self.iterationBehavior = iterationBehavior }
}

public protocol ClientMiddleware: Sendable {
    func intercept(
        _ request: HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String,
        next: @Sendable (HTTPRequest, HTTPBody?, URL) async throws -> (HTTPResponse, HTTPBody?)
    ) async throws -> (HTTPResponse, HTTPBody?)
}
