import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests. Tests and apps with a network stack of their own provide another one than ``URLSessionTransport``.
public protocol HTTPTransport: Sendable {
    /// Throws if there is no answer. A `URLError` says why.
    func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse)
}
