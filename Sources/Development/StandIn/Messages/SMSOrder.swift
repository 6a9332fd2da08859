import DevelopmentHTTP
import JSON

/// The body that Gatehouse posts to `SMS_URL`. A refusal names the member, and not its value.
struct SMSOrder {
    private enum Kind: String {
        case code = "sms.code"
        case notice = "sms.notice"
    }

    let to: String
    let text: String
    let language: String
    private(set) var code: String?
    private(set) var notice: String?

    /// Refuses unknown members, because a receiver is written by this format.
    init(_ request: HTTPRequest) throws(HTTPRefusal) {
        guard request.contentType?.hasPrefix("application/json") == true else {
            throw .invalid("content-type: application/json")
        }
        let json = try request.object()
        guard let kind = json["type"]?.string.flatMap(Kind.init(rawValue:)) else {
            throw .invalid("type: sms.code or sms.notice")
        }
        guard let data = json["data"]?.object else { throw .invalid("data: an object") }
        try Self.check(json, has: ["type", "timestamp", "data"])
        try Self.check(
            data, has: ["to", "country", "language", "text"] + (kind == .code ? ["code", "expiresIn"] : ["notice"]))
        _ = try Self.text("timestamp", of: json, like: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/#)
        _ = try Self.text("country", of: data, like: #/[A-Z]{2}/#)
        to = try Self.text("to", of: data, like: #/\+[1-9]\d{6,14}/#)
        language = try Self.text("language", of: data, like: #/[A-Za-z]{2,3}(-[A-Za-z0-9]+)*/#)
        text = try Self.text("text", of: data, like: #/(?s).+/#)
        switch kind {
        case .code:
            let code = try Self.text("code", of: data, like: #/\d{6}/#)
            guard text.contains(code) else { throw .invalid("text: it does not contain the code") }
            guard let lifetime = data["expiresIn"]?.integer, lifetime > 0 else {
                throw .invalid("expiresIn: a number of seconds")
            }
            self.code = code
        case .notice: notice = try Self.text("notice", of: data, like: #/[a-z_]+/#)
        }
    }

    private static func check(_ json: JSONObject, has names: [String]) throws(HTTPRefusal) {
        for name in names where json[name] == nil { throw .invalid("\(name): missing") }
        guard json.names.allSatisfy(names.contains) else {
            throw .invalid("a member is unknown: known are \(names.joined(separator: ", "))")
        }
    }

    private static func text(
        _ name: String, of json: JSONObject, like pattern: some RegexComponent
    ) throws(HTTPRefusal) -> String {
        guard let text = json[name]?.string, text.wholeMatch(of: pattern) != nil else {
            throw .invalid("\(name): not as documented")
        }
        return text
    }
}

/// What the gateway has accepted before: for repeated messages, and for the operators' limits.
struct SMSHistory {
    /// How many codes a number gets within a time, by default in China (Aliyun).
    private static let limits: [(count: Int, seconds: Int64)] = [(1, 60), (5, 3600), (10, 86_400)]
    private static let idCapacity = 1000

    private var ids: [String] = []
    private var times: [String: [Int64]] = [:]

    enum Outcome: Equatable {
        case new
        case repeated
        case limited(seconds: Int64)
    }

    /// - Parameter hasLimits: whether the operators' limits apply.
    mutating func accept(_ order: SMSOrder, id: String, now: Int64, hasLimits: Bool) -> Outcome {
        guard !ids.contains(id) else { return .repeated }
        if order.code != nil {
            prune(now)
            if hasLimits, let seconds = wait(for: order.to, now) { return .limited(seconds: seconds) }
            times[order.to, default: []].append(now)
        }
        ids.append(id)
        if ids.count > Self.idCapacity { ids.removeFirst() }
        return .new
    }

    /// The seconds until the number may get a code; nil if it may get one now.
    private func wait(for number: String, _ now: Int64) -> Int64? {
        let times = times[number] ?? []
        return Self.limits.compactMap { limit in
            let recent = times.filter { $0 > now - limit.seconds }
            return recent.count < limit.count ? nil : recent[recent.count - limit.count] + limit.seconds - now
        }.max()
    }

    private mutating func prune(_ now: Int64) {
        times = times.mapValues { $0.filter { $0 > now - 86_400 } }.filter { !$0.value.isEmpty }
    }
}
