import Gatehouse
import JSON
import Text

/// For administrators: whoever gets here is one.
extension Endpoints {
    func administrator(_ request: Request, _ administrator: Administrator) throws -> Response {
        .ok(AdministratorBody(administrator: administrator, record: try auth.userRecord(administrator.user.id)))
    }

    // MARK: Users

    /// Lists or searches users.
    func findUsers(_ request: Request, _ administrator: Administrator) throws -> Response {
        let query = try request.query()
        let text = try query.optional("query", atMost: FieldLimit.identifier)
        let cursor = try query.plain("cursor")
        let (role, status) = (try query.choice("role", Role.self), try query.choice("status", UserStatus.self))
        guard let text else {
            let selection = UserQuery(status: status, role: role, before: cursor.map { UserID($0) }, limit: 0)
            return .ok(MatchListBody(page: try auth.users(selection, by: administrator)))
        }
        guard role == nil, status == nil else { throw Form.fault("query", "must not be sent with role or status") }
        guard !text.utf8.contains(0) else { throw Form.fault("query", "must not contain NUL") }
        let place = cursor.map { NicknameCursor($0) }
        if case .some(nil) = place { throw Form.fault("cursor", "must be the next of a page") }
        return .ok(
            MatchListBody(page: try auth.users(SupportSearch(text), after: place ?? nil, by: administrator)))
    }

    func dossier(_ request: Request, _ administrator: Administrator) throws -> Response {
        let reason = try request.query().optional("reason", atMost: ActBody.longestReason)
        guard reason?.hasControlCharacters != true else {
            throw Form.fault("reason", "must not contain control characters")
        }
        let dossier = try auth.dossier(of: request.user, by: administrator, reason: reason)
        return .ok(DossierBody(dossier: dossier, current: administrator.session.id))
    }

    // MARK: Acts

    func disable(_ request: Request, _ administrator: Administrator, _ body: ActBody?) throws -> Response {
        try perform(.disable, request, administrator, body?.reason)
    }

    func enable(_ request: Request, _ administrator: Administrator, _ body: ActBody?) throws -> Response {
        try perform(.enable, request, administrator, body?.reason)
    }

    func signOut(_ request: Request, _ administrator: Administrator, _ body: ActBody?) throws -> Response {
        try perform(.signOut(body?.session.map { SessionID($0) }), request, administrator, body?.reason)
    }

    func giveRole(_ request: Request, _ administrator: Administrator, _ body: RoleBody) throws -> Response {
        try perform(.role(body.role), request, administrator, body.act.reason)
    }

    func delete(_ request: Request, _ administrator: Administrator, _ body: ActBody?) throws -> Response {
        try perform(.delete, request, administrator, body?.reason)
    }

    private func perform(
        _ act: SupportAct, _ request: Request, _ administrator: Administrator, _ reason: String?
    ) throws -> Response {
        let (hasChanged, ended) = try auth.perform(
            act, on: request.user, by: administrator, reason: try ActBody.required(reason))
        return .ok(
            OutcomeBody(hasChanged: hasChanged, endedSessions: ended, record: try auth.userRecord(request.user)))
    }

    func merge(_ request: Request, _ administrator: Administrator, _ body: MergeBody) throws -> Response {
        let (user, other) = (request.user, UserID(body.into))
        if body.isDryRun {
            let plan = try auth.mergePlan(of: user, into: other, by: administrator, reason: body.act.reason)
            return .ok(
                MergeOutcomeBody(
                    plan: plan, user: try auth.userRecord(user), other: try auth.userRecord(other),
                    endedSessions: plan.sessions, undoableUntil: nil))
        }
        let (plan, end, ended) = try auth.merge(
            user, into: other, by: administrator, reason: try ActBody.required(body.act.reason))
        return .ok(
            MergeOutcomeBody(
                plan: plan, user: try auth.userRecord(user), other: try auth.userRecord(other), endedSessions: ended,
                undoableUntil: end))
    }

    func unmerge(_ request: Request, _ administrator: Administrator, _ body: ActBody?) throws -> Response {
        let merge = try auth.unmerge(request.user, by: administrator, reason: try ActBody.required(body?.reason))
        return .ok(
            UnmergedBody(
                user: try auth.userRecord(merge.user), other: try auth.userRecord(merge.other),
                accounts: merge.accounts))
    }

    // MARK: The audit trail, statistics, deliveries

    func auditTrail(_ request: Request, _ administrator: Administrator) throws -> Response {
        let query = try request.query()
        let selection = AuditSelection(
            userID: try query.plain("user").map { UserID($0) }, actor: try query.plain("actor"),
            kinds: try query.values(of: "type").map { try Form.choice("type", AuditEntry.Kind.self, $0) },
            address: try query.plain("address"), before: try query.number("cursor") ?? .max,
            limit: AuthService.supportPage)
        return .ok(AuditPageBody(page: try auth.auditPage(selection, by: administrator)))
    }

    func statistics(_ request: Request, _ administrator: Administrator) throws -> Response {
        let query = try request.query()
        let step = try query.choice("step", StatisticStep.self) ?? .hour
        let end = try query.moment("to")?.hourBegin ?? auth.currentTime.hourBegin + .seconds(3600)
        let start = try query.moment("from")?.hourBegin ?? end - .seconds(86_400)
        let longest = step == .hour ? Duration.seconds(3 * 86_400) : AuthService.longestStatistics
        guard start < end, start.duration(to: end) <= longest else {
            throw Form.fault("from", "must be before to, and at most \(longest.wholeSeconds / 86_400) days before")
        }
        let counts = try auth.statistics(from: start, to: end)
        return .ok(
            StatisticsBody(counts: counts, start: start, end: end, step: step, standings: try auth.standings()))
    }

    func deliveries(_ request: Request, _ administrator: Administrator) throws -> Response {
        let (letters, next) = try auth.deadLetters(after: try request.query().number("cursor") ?? 0)
        return .ok(
            DeliveriesBody(receivers: try auth.receiverStates(), letters: letters, next: next, outside: outside))
    }

    func retryEvent(_ request: Request, _ administrator: Administrator, _ body: ActBody?) throws -> Response {
        let count = try auth.retryEvent(
            request.pathArgument, by: administrator, reason: try ActBody.required(body?.reason))
        return .ok(RetryBody(count: count))
    }
}

// MARK: - Requests

/// The body of an act.
struct ActBody: RequestBody {
    static let longestReason = 500
    private static let shortestReason = 3

    let reason: String?
    /// Of `sign-out`: the session that ends alone.
    let session: String?

    init(reading fields: inout FieldReader) {
        reason = fields.optional("reason", atMost: Self.longestReason)
        session = fields.optional("session", atMost: FieldLimit.identifier)
        if let reason, reason.replacing("\n", with: " ").hasControlCharacters {
            fields.reject("reason", "must not contain control characters")
        }
    }

    static func required(_ reason: String?) throws(Refusal) -> String {
        guard let text = reason?.trimmedOrNil, text.utf8.count >= shortestReason else { throw .reasonRequired }
        return text
    }
}

struct RoleBody: RequestBody {
    let act: ActBody
    let role: Role

    init(reading fields: inout FieldReader) {
        act = ActBody(reading: &fields)
        role = fields.requiredCase("role") ?? .user
    }
}

struct MergeBody: RequestBody {
    let act: ActBody
    let into: String
    let isDryRun: Bool

    init(reading fields: inout FieldReader) {
        act = ActBody(reading: &fields)
        into = fields.required("into", atMost: FieldLimit.identifier)
        isDryRun = fields.changeFlag("dryRun") ?? false
    }
}

/// The length of a bucket of statistics.
enum StatisticStep: String, Sendable, CaseIterable {
    case hour
    case day

    var hours: Int64 { self == .hour ? 1 : 24 }
}

extension Request {
    fileprivate var user: UserID { UserID(pathArgument) }
}

extension Form {
    /// A text that PostgreSQL can store.
    fileprivate func plain(_ name: String) throws(Problem) -> String? {
        let text = try optional(name, atMost: 2 * FieldLimit.identifier)
        guard text?.utf8.contains(0) != true else { throw Self.fault(name, "must not contain NUL") }
        return text
    }

    fileprivate func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String, _: Choice.Type
    ) throws(Problem) -> Choice? {
        try plain(name).map { text throws(Problem) in try Self.choice(name, Choice.self, text) }
    }

    fileprivate static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String, _: Choice.Type, _ text: String
    ) throws(Problem) -> Choice {
        guard let choice = Choice(rawValue: text) else {
            throw fault(name, "must be one of " + Choice.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return choice
    }

    fileprivate func number(_ name: String) throws(Problem) -> Int64? {
        guard let text = try plain(name) else { return nil }
        guard text.utf8.allSatisfy(\.isDigit), let number = Int64(text) else {
            throw Self.fault(name, "must be the next of a page")
        }
        return number
    }

    fileprivate func moment(_ name: String) throws(Problem) -> Timestamp? {
        guard let text = try plain(name) else { return nil }
        guard let moment = Timestamp(written: text) else {
            throw Self.fault(name, "must be a time in UTC, such as 2026-11-21T10:00:00Z")
        }
        return moment
    }
}

extension Timestamp {
    var hour: Int64 { milliseconds / 3_600_000 }
    fileprivate var hourBegin: Timestamp { Timestamp(milliseconds: hour * 3_600_000) }
}
