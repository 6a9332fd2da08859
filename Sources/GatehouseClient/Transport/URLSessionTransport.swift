import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests with a `URLSession` of its own, which keeps no cookies and no cache.
///
/// It follows redirects of GET and HEAD within the same origin only, so that no access token reaches another server.
public final class URLSessionTransport: HTTPTransport {
    private let session: URLSession

    /// - Parameter configuration: for example with a proxy. Cookies and cache are turned off.
    public init(configuration: URLSessionConfiguration = .ephemeral) {
        configuration.httpShouldSetCookies = false
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        session = URLSession(configuration: configuration, delegate: RedirectRule(), delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    public func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let (data, response) = try await session.data(for: request)
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        return (data, response)
    }
}

private final class RedirectRule: NSObject, URLSessionTaskDelegate, Sendable {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        let original = task.originalRequest
        let isSafe = ["GET", "HEAD"].contains(original?.httpMethod ?? "GET")
        guard isSafe, let from = original?.url.flatMap(Origin.init), from == request.url.flatMap(Origin.init) else {
            return completionHandler(nil)
        }
        completionHandler(request)
    }
}
