/// An order to the fake that cannot be carried out.
struct ControlRefusal: Error {
    let status: String
    let message: String

    static let unknown = ControlRefusal(
        status: "404 Not Found",
        message: "/auth/keys, /auth/token, /auth/revoke, /mint, /notify, /faults, /keys/rotate, /keys/turnover, "
            + "/requests, /authorisations")

    static let noObject = ControlRefusal(status: "400 Bad Request", message: "the body must be a JSON object")

    /// The answer to an order that failed, whatever the cause.
    static func reply(to error: any Error) -> HTTPReply {
        switch error {
        case let refusal as ControlRefusal: .refusal(refusal.status, refusal.message)
        case let fault as MintFault: .refusal("400 Bad Request", fault.description)
        case let failure as Courier.Failure: .refusal("502 Bad Gateway", failure.description)
        default: .refusal("500 Internal Server Error", "\(error)")
        }
    }
}
