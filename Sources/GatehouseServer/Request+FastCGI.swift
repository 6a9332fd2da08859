import FastCGI
import GatehouseWeb

extension GatehouseWeb.Request {
    /// Reads the parameters that every FastCGI front sends.
    init(_ exchange: borrowing FastCGI.Request, id: String) {
        let parameters = exchange.parameters
        self.init(
            method: exchange.parameter("REQUEST_METHOD") ?? "", path: Self.path(in: parameters),
            envelope: ParametersEnvelope(parameters: parameters), body: exchange.body,
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

    subscript(field: EnvelopeField) -> ArraySlice<UInt8>? {
        switch field {
        case .contentType: parameters["CONTENT_TYPE"]
        case .authorization: parameters["HTTP_AUTHORIZATION"]
        case .ifNoneMatch: parameters["HTTP_IF_NONE_MATCH"]
        case .demandedRole: parameters["GATEHOUSE_ROLE"]
        case .userAgent: parameters["HTTP_USER_AGENT"]
        case .address: parameters["REMOTE_ADDR"]
        }
    }
}
