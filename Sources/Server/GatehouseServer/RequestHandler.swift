import FastCGI
import Gatehouse
import GatehouseStore
package import GatehouseWeb
import JSON
import POSIX
import Text

/// Connects the FastCGI responder with the router, and records each request in the log and in the metrics.
package struct RequestHandler: Sendable {
    let services: Current<ConfiguredServices>
    let counts: RequestCounts
    let serviceCounts: ServiceCounts
    let refusals: RefusalCounts
    let log: Log
    let platform: Platform

    func answer(_ exchange: borrowing FastCGI.Request, into bytes: inout [UInt8]) {
        let id = exchange.parameters["REQUEST_ID"].flatMap(RequestID.accepted) ?? newRequestID()
        let request = GatehouseWeb.Request(exchange, id: id)
        answer(request).write(answering: request.method, requestID: id, to: &bytes)
    }

    package func answer(_ request: GatehouseWeb.Request) -> GatehouseWeb.Response {
        let router = services.value.router
        let watch = Stopwatch()
        counts.begin()
        var context = RequestContext(id: request.id)
        let reply = RequestArrival.now { router.answer(request, in: &context) }
        let nanoseconds = watch.nanoseconds
        counts.end(
            route: reply.route, method: request.method, status: reply.response.status, nanoseconds: nanoseconds)
        if let service = context.service { serviceCounts.count(service) }
        if let problem = reply.problem {
            refusals.count(problem.code)
            if let failure = problem.storeFailure { log.storeFailure(failure, context.id) }
        }
        logRequest(request, reply, route: reply.route.map { router.routes[$0] }, context, nanoseconds)
        return reply.response
    }

    /// One line per request. It contains no text of the client, since any text may be a token.
    private func logRequest(
        _ request: GatehouseWeb.Request, _ reply: Reply, route: Route?, _ context: RequestContext,
        _ nanoseconds: Int
    ) {
        log.line(Self.level(reply, isRoutine: route?.isRoutine ?? false), "request", requestID: context.id) { line in
            line.member("method", MethodLabel.of(request.method))
            line.member("path", route?.path ?? RequestCounts.unknownPath)
            line.member("status", reply.response.status)
            line.member("milliseconds", thousandths: nanoseconds / 1000)
            if let problem = reply.problem {
                line.member("code", problem.code)
                if let reason = problem.reason { line.member("reason", reason) }
            }
            if let trace = request.traceID { line.member("traceId", trace) }
            if let service = context.service { line.member("service", service) }
            if let user = context.userID { line.member("user", user.text) }
            if let session = context.sessionID { line.member("session", session.text) }
        }
    }

    /// Routine requests are logged at `info` only when they fail: nginx logs every guarded request already.
    private static func level(_ reply: Reply, isRoutine: Bool) -> LogLevel {
        if reply.response.status >= 500 { return .error }
        return isRoutine && reply.problem == nil ? .debug : .info
    }

    private func newRequestID() -> String {
        ULID.make("req", at: platform.now(), random: platform.random(ULID.randomBytes))
    }
}

/// The id of a request, which the front may have chosen.
enum RequestID {
    private static let longest = 64

    /// The front's id if it is safe for a header and the log; nil otherwise, because a front may have
    /// passed on a client's text.
    static func accepted(_ text: ArraySlice<UInt8>) -> String? {
        let bytes = text.span
        guard (1...longest).contains(bytes.count) else { return nil }
        for index in bytes.indices where !isSafe(bytes[index]) { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    private static func isSafe(_ byte: UInt8) -> Bool {
        byte.isUnreserved && byte != UInt8(ascii: "~")
    }
}

extension GatehouseWeb.Request {
    /// Reads the parameters that every FastCGI front sends.
    init(_ exchange: borrowing FastCGI.Request, id: String) {
        let parameters = exchange.parameters
        self.init(
            method: exchange.parameter("REQUEST_METHOD") ?? "", path: Self.path(in: parameters),
            envelope: ParametersEnvelope(parameters: parameters, process: exchange.peer), body: exchange.body,
            bodyIsTooLarge: exchange.bodyIsTooLarge, id: id)
    }

    /// nginx sends its normalised path as DOCUMENT_URI. Other fronts split the path in two, as CGI defines.
    private static func path(in parameters: Parameters) -> ArraySlice<UInt8> {
        if let path = parameters["DOCUMENT_URI"], !path.isEmpty { return path }
        return (parameters["SCRIPT_NAME"] ?? []) + (parameters["PATH_INFO"] ?? [])
    }
}

/// The parameters of a FastCGI request, by their CGI names.
private struct ParametersEnvelope: Envelope {
    let parameters: Parameters
    let process: FastCGI.Peer

    /// Every web server sends the address of its client.
    var peer: ServiceAccess.Peer? {
        process.user.map { ServiceAccess.Peer(user: $0, forwards: parameters["REMOTE_ADDR"] != nil) }
    }

    var hasSeveralProofs: Bool { parameters.hasSeveral("HTTP_DPOP") }

    subscript(field: EnvelopeField) -> ArraySlice<UInt8>? {
        switch field {
        case .contentType: parameters["CONTENT_TYPE"]
        case .authorization: parameters["HTTP_AUTHORIZATION"]
        case .proof: parameters["HTTP_DPOP"]
        case .proofTarget: parameters["GATEHOUSE_DPOP_TARGET"]
        case .ifNoneMatch: parameters["HTTP_IF_NONE_MATCH"]
        case .ifMatch: parameters["HTTP_IF_MATCH"]
        case .demandedRole: parameters["GATEHOUSE_ROLE"]
        case .demandedLogin: parameters["GATEHOUSE_MAX_AGE"]
        case .admittedGuests: parameters["GATEHOUSE_GUESTS"]
        case .attributeNames: parameters["GATEHOUSE_ATTRIBUTES"]
        case .userAgent: parameters["HTTP_USER_AGENT"]
        case .acceptLanguage: parameters["HTTP_ACCEPT_LANGUAGE"]
        case .query: parameters["QUERY_STRING"]
        case .cookie: parameters["HTTP_COOKIE"]
        case .origin: parameters["HTTP_ORIGIN"]
        case .fetchSite: parameters["HTTP_SEC_FETCH_SITE"]
        case .preflightMethod: parameters["HTTP_ACCESS_CONTROL_REQUEST_METHOD"]
        case .address: parameters["REMOTE_ADDR"]
        case .trace: parameters["HTTP_TRACEPARENT"]
        }
    }
}
