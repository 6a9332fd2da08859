package import JSON

extension CompactJWS {
    /// Signs a payload. The header contains `alg`, and `kid` and `typ` if they are set.
    package static func sign(
        payload: [UInt8], type: String? = nil, with key: SigningKey
    ) throws(JOSEError) -> String {
        var header: JSONObject = [:]
        header["kid"] = key.keyID.map { .string($0) }
        header["typ"] = type.map { .string($0) }
        return try sign(payload: payload, header: header, with: key)
    }

    /// Signs a payload with a custom header, to which `alg` is added.
    package static func sign(
        payload: [UInt8], header: JSONObject, with key: SigningKey
    ) throws(JOSEError) -> String {
        let header = JSONObject([("alg", .string(key.algorithm.rawValue))] + header.members.map { ($0.name, $0.value) })
        return try sign(payload: payload, head: head(header), with: key)
    }

    /// The encoded header, followed by a dot.
    static func head(_ header: JSONObject) -> [UInt8] {
        var head: [UInt8] = []
        Base64URL.append(header.bytes.span, to: &head)
        head.append(UInt8(ascii: "."))
        return head
    }

    static func sign(payload: [UInt8], head: [UInt8], with key: SigningKey) throws(JOSEError) -> String {
        var token: [UInt8] = []
        token.reserveCapacity(head.count + payload.count * 4 / 3 + expectedSignatureLength)
        token += head
        Base64URL.append(payload.span, to: &token)
        let signature = try key.sign(token)
        token.append(UInt8(ascii: "."))
        Base64URL.append(signature.span, to: &token)
        return String(decoding: token, as: UTF8.self)
    }

    /// The length of a dot and an HMAC-SHA-256 signature.
    private static let expectedSignatureLength = 44
}
