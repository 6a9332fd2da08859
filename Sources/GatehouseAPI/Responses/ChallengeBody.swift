public import JSON

/// The answer of `POST /api/auth/apple/challenge`.
public struct ChallengeBody: ResponseBody, Equatable {
    public var nonce: String
    public var expiresIn: Int64

    public init(nonce: String, expiresIn: Int64) {
        self.nonce = nonce
        self.expiresIn = expiresIn
    }

    public func write(to json: inout JSONObjectWriter) {
        json.member("nonce", nonce)
        json.member("expiresIn", expiresIn)
    }
}
