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
        let (data, response) = try await answer(to: request)
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        return (data, response)
    }

    #if canImport(FoundationNetworking)
        private func answer(to request: URLRequest) async throws -> (Data, URLResponse) {
            do {
                return try await session.data(for: request)
            } catch let error as URLError where error.code == .unknown {
                throw error.codeOfTLS.map { URLError($0, userInfo: error.userInfo) } ?? error
            }
        }
    #else
        private func answer(to request: URLRequest) async throws -> (Data, URLResponse) {
            try await session.data(for: request)
        }
    #endif
}

#if canImport(FoundationNetworking)
    extension URLError {
        /// Foundation on Linux has one code for all that libcurl's TLS refuses, so only curl's text tells them apart.
        fileprivate var codeOfTLS: URLError.Code? {
            let text = localizedDescription
            if text.contains("certificate has expired") { return .serverCertificateHasBadDate }
            if text.contains("certificate is not yet valid") { return .serverCertificateNotYetValid }
            if text.contains("certificate") { return .serverCertificateUntrusted }
            return text.contains("SSL") || text.contains("TLS") ? .secureConnectionFailed : nil
        }
    }
#endif

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

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests. Tests and apps with a network stack of their own provide another one than ``URLSessionTransport``.
public protocol HTTPTransport: Sendable {
    /// Throws if there is no answer. A `URLError` says why.
    func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse)
}
