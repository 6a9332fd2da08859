import CommandLineTool
import FileSystem
import JSON
import Text

/// A check of a token, and what it has compared.
struct VerifiedCheck {
    enum State: String {
        case ok, fault, skipped
    }

    let state: State
    let subject: String
    let message: String

    init(_ state: State, _ subject: String, _ message: String) {
        (self.state, self.subject, self.message) = (state, subject, message)
    }

    static func notMade(_ subject: String) -> VerifiedCheck { VerifiedCheck(.skipped, subject, "not checked") }

    /// - Parameter width: of the column of subjects.
    func line(width: Int) -> String { padded(mark, to: 7) + padded(subject, to: width) + message }

    var json: JSONValue {
        ["subject": .string(subject), "state": .string(state.rawValue), "message": .string(message)]
    }

    private var mark: String {
        switch state {
        case .ok: "ok"
        case .fault: "FAULT"
        case .skipped: "-"
        }
    }

    private func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    /// A plain word unchanged, anything else as JSON. The token may be hostile, so the text is
    /// short and safe on a terminal.
    static func shown(_ value: JSONValue?) -> String {
        guard let value else { return "nothing" }
        if let text = value.string, (1...256).contains(text.utf8.count),
            text.utf8.allSatisfy(\.isVisible)
        {
            return text
        }
        let scalars = value.description.unicodeScalars.prefix(256)
        return String(scalars.map { (0x20...0x7E).contains($0.value) ? Character($0) : "?" })
    }
}

/// What a command that verifies a token prints: each check, and the claims or the refusal.
struct VerifiedToken {
    struct Refusal: Error {
        let reason: String
        let detail: String
    }

    let verdict: Result<JSONObject, Refusal>
    let checks: [VerifiedCheck]
    /// Members of the JSON document of this command alone.
    var others = JSONObject()

    func print(for arguments: Arguments) -> ExitStatus {
        if !arguments.has("--quiet"), !arguments.has(Option.json.name) {
            let width = max(12, (checks.map(\.subject.count).max() ?? 0) + 2)
            for check in checks { StandardStream.error.line(check.line(width: width)) }
        }
        var json: JSONObject = ["ok": false, "checks": .array(checks.map(\.json)), "reason": .null, "detail": .null]
        json["claims"] = .null
        for (name, value) in others.members { json[name] = value }
        switch verdict {
        case .success(let claims):
            json["ok"] = true
            json["claims"] = .object(claims)
            Report(json: .object(json), text: claims.description).print(for: arguments)
            return .done
        case .failure(let refusal):
            json["reason"] = .string(refusal.reason)
            json["detail"] = .string(refusal.detail)
            Report(json: .object(json), text: "\(refusal.reason): \(refusal.detail)").print(for: arguments)
            return .no
        }
    }
}
