import DevelopmentHTTP
import JSON
import Synchronization

/// A party that the stand-in plays: its own endpoints, and those that control it.
protocol Party: Sendable {
    /// The answer of one of its own endpoints; nil for any other path.
    ///
    /// - Parameter path: the path below the one of the party.
    func answer(_ request: HTTPRequest, at path: String, now: Int64) -> HTTPAction?

    /// The answer of an endpoint that controls it. Real parties do not have these.
    func control(_ request: HTTPRequest, at path: String, now: Int64) throws -> JSONObject
}

/// Answers the requests to a party's endpoints in the mode that is set, and records them.
final class Responder: Sendable {
    /// The limit of `hang`.
    private static let longestHang: Int64 = 60

    private let state = Mutex(AnswerSettings())
    private let log: RequestLog

    init(log: RequestLog) {
        self.log = log
    }

    var settings: AnswerSettings {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    typealias Perform = @Sendable (AnswerSettings) -> PartyReply

    /// - Parameter fields: the names of the request's known parameters, for the record.
    func answer(_ request: HTTPRequest, fields: [String] = [], perform: @escaping Perform) -> HTTPAction {
        let settings = settings(for: request)
        var record = RequestRecord(request)
        record.fields = fields
        record.fault = settings.mode.name
        guard settings.mode != .hang else {
            log.add(record)
            return hang(request, perform)
        }
        let action = settings.action(on: request) {
            let answer = perform(settings)
            record.errorCode = answer.errorCode
            return answer.reply
        }
        if case .reply(let reply, _) = action { record.status = reply.statusCode }
        log.add(record)
        return action
    }

    private func hang(_ request: HTTPRequest, _ perform: @escaping Perform) -> HTTPAction {
        .waiting(seconds: Self.longestHang) { [self] in
            let settings = settings
            guard settings.mode != .hang else { return nil }
            return settings.action(on: request) { perform(settings).reply }
        }
    }

    private func settings(for request: HTTPRequest) -> AnswerSettings {
        let settings = settings
        return settings.mode == .redirect && AnswerSettings.isRedirected(request) ? AnswerSettings() : settings
    }
}

extension Responder {
    /// Sets how the party answers, and lists what it was asked. Nil for another path.
    ///
    /// - Parameter prefix: the path of the party.
    func control(
        _ request: HTTPRequest, at path: String, below prefix: String, modes: [AnswerMode], hasErrorCodes: Bool = true
    ) throws -> JSONObject? {
        switch (request.method, path) {
        case ("GET", "faults"): return settings.json
        case ("POST", "faults"):
            settings = try AnswerSettings(try request.object(), modes: modes, hasErrorCodes: hasErrorCodes)
        case ("DELETE", "faults"): settings = AnswerSettings()
        case ("GET", "requests"): return log.list(below: prefix)
        case ("DELETE", "requests"): log.clear(below: prefix)
        default: return nil
        }
        return [:]
    }
}

/// What a party answers, and the error code in it.
struct PartyReply: Sendable {
    let reply: HTTPReply
    var errorCode: Int64?
}
