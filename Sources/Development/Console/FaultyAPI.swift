import DevelopmentHTTP
import JSON
import POSIX

/// The API with the faults that are switched on. Without one it passes requests and answers on unchanged.
struct FaultyAPI: Sendable {
    let server: HTTPUpstream
    let faults: Faults<APIFault>
    /// Takes a line for the live log.
    let report: @Sendable (JSONObject) -> Void

    func answer(_ request: HTTPRequest, to target: String) -> HTTPAction {
        let path = String(target.prefix { $0 != "?" })
        guard path.hasPrefix("/api/") || path.hasPrefix("/.well-known/") else {
            return .reply(.refusal("404 Not Found", "only the API is below /console/faulty: /console/faulty/api/…"))
        }
        let fault = faults.next(for: path)
        switch fault?.kind {
        case .unavailable:
            report(line(request, path, "unavailable", "answered 503, and not carried out"))
            return .reply(Self.unavailable)
        case .delay:
            let seconds = fault?.seconds ?? 0
            report(line(request, path, "delay", "delayed by \(seconds) s"))
            Thread.pause(for: .seconds(seconds))
            return forward(request, target)
        case .lost: return lose(request, target, path)
        case nil: return forward(request, target)
        }
    }

    private func forward(_ request: HTTPRequest, _ target: String) -> HTTPAction {
        do throws(POSIXError) { return .pass(try server.answer(to: request, target: target)) } catch {
            return .reply(.refusal("502 Bad Gateway", "nginx does not answer: \(error)"))
        }
    }

    private func lose(_ request: HTTPRequest, _ target: String, _ path: String) -> HTTPAction {
        let action = forward(request, target)
        guard case .pass(let bytes) = action else { return action }
        let head = AnswerHead(bytes)
        var line = line(request, path, "lost", "carried out with \(head.status), and the answer was lost")
        line["requestId"] = head.requestID.map(JSONValue.string)
        report(line)
        // nginx closes the connection without an answer there.
        return .reply(HTTPReply.ok([]).adding("X-Accel-Redirect", "/console/lost"))
    }

    private func line(_ request: HTTPRequest, _ path: String, _ fault: String, _ text: String) -> JSONObject {
        var line: JSONObject = [
            "fault": .string(fault), "method": .string(request.method), "path": .string(path), "message": .string(text),
        ]
        // The page uses it to find the request id of a lost answer.
        line["step"] = request["x-console-step"].map { .string(String($0.prefix(40))) }
        return line
    }

    private static let unavailable: HTTPReply = {
        var reply = HTTPReply(
            status: "503 Service Unavailable",
            json: [
                "type": "about:blank", "title": "Service Unavailable", "status": 503,
                "detail": "The console has been told to answer 503. Switch the fault off, then try again.",
                "code": "service_unavailable",
            ])
        reply.contentType = "application/problem+json"
        return reply.adding("Retry-After", "5").adding("Cache-Control", "no-store")
    }()
}

/// The facts that the log has of an answer that a client did not get.
struct AnswerHead: Equatable {
    let status: String
    let requestID: String?

    init(_ bytes: [UInt8]) {
        let lines = String(decoding: bytes.prefix(16_384), as: UTF8.self).split(separator: "\r\n")
        status = lines.first?.split(separator: " ").dropFirst().first.map(String.init) ?? "no answer"
        let name = "x-request-id: "
        let line = lines.first { $0.lowercased().hasPrefix(name) }
        requestID = line.map { String($0.dropFirst(name.count)) }
    }
}

/// A fault to inject between a client and the API.
enum APIFault: String, FaultKind {
    /// Carries the request out, and closes the connection without an answer.
    case lost
    /// Waits, then carries the request out.
    case delay
    /// Answers 503, and does not carry the request out.
    case unavailable

    static let maximumSeconds: Int64 = 60

    static let members: [(name: String, values: String)] = [
        ("path", "such as /api/auth/refresh"), ("seconds", "0 to \(maximumSeconds)"),
        ("times", "1 or more"),
    ]

    static func isPath(_ text: String) -> Bool { text.hasPrefix("/") }
}
