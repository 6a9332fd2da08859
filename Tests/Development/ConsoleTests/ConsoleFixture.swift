import JSON
import Synchronization
import TestSupport

@testable import Console
@testable import DevelopmentHTTP

/// A console in front of an API that records its requests.
final class ConsoleFixture: Sendable {
    let folder: TemporaryFolder
    let service: ConsoleService
    /// Distinguishes the requests of this console from the requests of other tests.
    private let tag: String
    private let reports: Reports

    private final class Reports: Sendable {
        let lines = Mutex<[JSONObject]>([])
    }

    /// - Parameter hasStandIn: whether there is a fake Apple, whose requests are recorded as well.
    init(page: String = Executable.root + "/deploy/console", hasStandIn: Bool = false) throws {
        folder = try TemporaryFolder()
        tag = folder.path
        reports = Reports()
        let settings = ConsoleSettings(
            origin: "https://localhost:8443", apiSocket: try RecordingAPI.shared.get().path,
            applePort: hasStandIn ? try RecordingAPI.shared.get().port : nil,
            keys: "http://127.0.0.1:1/auth/keys", bundleIDs: ["com.example.app"], page: page, data: folder.path,
            gatehouse: "/bin/false")
        service = try ConsoleService(settings) { [reports] line in reports.lines.withLock { $0.append(line) } }
    }

    /// The requests that the API has received.
    var requests: [HTTPRequest] {
        (try? RecordingAPI.shared.get().requests(tagged: tag)) ?? []
    }

    /// The requests of hops, whose address has this query.
    var query: String { "q=" + tag.filter { $0.isLetter || $0.isNumber } }
    var hops: [HTTPRequest] { (try? RecordingAPI.shared.get().requests(withQuery: query)) ?? [] }

    /// The lines for the live log.
    var reported: [JSONObject] { reports.lines.withLock { $0 } }

    /// - Parameter fields: header fields, with names in lower case.
    func answer(
        _ method: String, _ target: String, _ fields: [String: String] = [:], body: String = ""
    ) -> HTTPAction {
        let all = ["host": "localhost:8443", RecordingAPI.tagField: tag].merging(fields) { _, new in new }
        return service.answer(
            HTTPRequest(
                method: method, target: target, fields: all.map { .init(name: $0.key, value: $0.value) },
                body: Array(body.utf8)))
    }

    /// The answer of the console itself; nil for one of the API.
    func reply(
        _ method: String, _ target: String, _ fields: [String: String] = [:], body: String = ""
    ) -> HTTPReply? {
        guard case .reply(let reply, _) = answer(method, target, fields, body: body) else { return nil }
        return reply
    }
}

extension HTTPReply {
    var json: JSONObject? { (try? JSONValue(parsing: body))?.object }
}
