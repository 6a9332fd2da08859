import Foundation
import FoundationNetworking
import GatehouseClient
import Synchronization
import TestSupport
import Testing

/// Sends requests to the server, and injects the faults that a test has planned.
final class FaultyTransport: HTTPTransport {
    enum Fault: Sendable {
        /// The server carries out the request, and its answer is lost.
        case loseAnswer
        /// The server carries out the request, and its answer is lost after a wait at the gate.
        case loseAnswerAfter(Gate)
        /// The request does not reach the server.
        case loseRequest(URLError.Code = .notConnectedToInternet)
        /// The transport gives up, such as a `URLSession` that the system has suspended.
        case cancel
        /// The server accepts the access token, and answers with this error.
        case fail(Int)
        /// Another party answers, such as a proxy.
        case answer(Int, headers: [String: String] = [:], body: String = "")
        /// The server carries out the request, and its answer waits at the gate.
        case hold(Gate)
        /// Another party answers, after a wait at the gate.
        case answerAfter(Gate, Int, body: String)
    }

    struct Sent: Sendable {
        let method: String
        let path: String
        let url: String
        let bearer: String?
        /// Nil if no answer reached the client.
        var status: Int?
    }

    private struct State {
        var faults: [(path: String, fault: Fault)] = []
        var sent: [Sent] = []
        var isOffline = false

        mutating func nextFault(_ path: String) -> Fault? {
            if isOffline { return .loseRequest() }
            let next = faults.firstIndex { path.hasSuffix($0.path) }
            return next.map { faults.remove(at: $0).fault }
        }
    }

    private let server: ServerBehindNginx
    private let state = Mutex(State())

    init(_ server: ServerBehindNginx) { self.server = server }

    /// A problem document of the server's.
    static func problem(_ status: Int, _ code: String) -> String {
        #"{"type":"about:blank","title":"","status":\#(status),"detail":"","code":"\#(code)","requestId":"r"}"#
    }

    /// The next requests to this path get these faults, one each.
    func plan(_ path: String, _ faults: Fault...) { state.withLock { $0.faults += faults.map { (path, $0) } } }

    func plan(_ path: String, _ fault: Fault, times: Int) {
        state.withLock { $0.faults += Array(repeating: (path, fault), count: times) }
    }

    func setOffline(_ isOffline: Bool) { state.withLock { $0.isOffline = isOffline } }

    /// Waits until a request to this path has been answered with this status.
    func answered(_ path: String, _ status: Int) async throws {
        let isAnswered = try await Eventually.becomesTrue { sent(path).contains { $0.status == status } }
        #expect(isAnswered, "\(path)")
    }

    /// What the client sent to a path, by its end.
    func sent(_ path: String = "") -> [Sent] { state.withLock { $0.sent.filter { $0.path.hasSuffix(path) } } }

    func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let path = request.url?.path ?? ""
        let (index, fault) = state.withLock { state in
            let bearer = request.value(forHTTPHeaderField: "Authorization")
            state.sent.append(
                Sent(
                    method: request.httpMethod ?? "GET", path: path, url: request.url?.absoluteString ?? "",
                    bearer: bearer))
            return (state.sent.count - 1, state.nextFault(path))
        }
        let answer = try await perform(request, fault)
        state.withLock { $0.sent[index].status = answer.1.statusCode }
        return answer
    }

    /// Sends the request with curl, which trusts the server's certificate; URLSession on Linux trusts the
    /// system's alone.
    private func reach(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let headers = (request.allHTTPHeaderFields ?? [:]).map { (name: $0.key, value: $0.value) }
        let message = TestRequest(
            method: request.httpMethod ?? "GET", path: request.url?.path(percentEncoded: true) ?? "", headers: headers,
            body: Array(request.httpBody ?? Data()))
        let answer = try await withCheckedThrowingContinuation { continuation in
            // It blocks, so it needs a thread that no task needs.
            Thread.detachNewThread { [server] in
                continuation.resume(with: Result { try server.send(message) })
            }
        }
        let fields = Dictionary(answer.headers.map { ($0.name, $0.value) }) { $1 }
        let response = HTTPURLResponse(
            url: request.url!, statusCode: answer.status, httpVersion: "HTTP/2", headerFields: fields)!
        return (Data(answer.body), response)
    }

    private static func answer(
        _ request: URLRequest, _ status: Int, _ headers: [String: String], _ body: String
    ) -> (Data, HTTPURLResponse) {
        let response = HTTPURLResponse(
            url: request.url!, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)!
        return (Data(body.utf8), response)
    }

    private func perform(_ request: URLRequest, _ fault: Fault?) async throws -> (Data, HTTPURLResponse) {
        switch fault {
        case nil: return try await reach(request)
        case .loseRequest(let code): throw URLError(code)
        case .loseAnswer:
            _ = try await reach(request)
            throw URLError(.networkConnectionLost)
        case .loseAnswerAfter(let gate):
            _ = try await reach(request)
            await gate.pass()
            throw URLError(.networkConnectionLost)
        case .cancel: throw CancellationError()
        case .fail(let status):
            var use = URLRequest(url: URL(string: "/api/users/me", relativeTo: request.url)!)
            use.allHTTPHeaderFields = request.allHTTPHeaderFields
            _ = try await reach(use)
            return Self.answer(request, status, [:], "")
        case .answer(let status, let headers, let body): return Self.answer(request, status, headers, body)
        case .answerAfter(let gate, let status, let body):
            await gate.pass()
            return Self.answer(request, status, [:], body)
        case .hold(let gate):
            let answer = try await reach(request)
            await gate.pass()
            return answer
        }
    }
}
