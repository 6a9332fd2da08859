import FastCGI
import Gatehouse
import GatehouseWeb
import Text

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
