import Gatehouse
import JSON

extension FormAnswer {
    /// RFC 6749, section 5.2, as Apple's documents list them, and RFC 7009, section 2.2.1. A word that is not among them
    /// is not repeated: it came from outside, and what is thrown goes into logs.
    private static let refusalsOfCredentials = [
        "invalid_client", "invalid_request", "invalid_scope", "unauthorized_client", "unsupported_grant_type",
        "unsupported_token_type",
    ]

    /// What a refusal comes to.
    var fault: AppleServerFault {
        let word = (400..<500).contains(status) && status != 429 ? object?["error"]?.string : nil
        guard let word else { return .unavailable("status \(status)") }
        if word == "invalid_grant" { return .grantRefused }
        guard let known = Self.refusalsOfCredentials.first(where: { $0 == word }) else {
            return .unavailable("status \(status)")
        }
        return .credentialsRefused(known)
    }

    var object: JSONObject? { (try? JSONValue(parsing: body))?.object }
}
