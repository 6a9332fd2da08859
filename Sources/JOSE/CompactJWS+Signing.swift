package import JSON

extension CompactJWS {
    /// Signs a payload; the header names the key's algorithm and, where it has one, the key itself.
    package static func sign(
        payload: [UInt8], type: String? = nil, with key: SigningKey
    ) throws(JOSEError) -> String {
        var header: JSONObject = [:]
        header["kid"] = key.keyID.map { .string($0) }
        header["typ"] = type.map { .string($0) }
        return try sign(payload: payload, header: header, with: key)
    }

    /// Signs a payload under a header of the caller's making, to which only `alg` is added.
    package static func sign(
        payload: [UInt8], header: JSONObject, with key: SigningKey
    ) throws(JOSEError) -> String {
        let header = JSONObject([("alg", .string(key.algorithm.rawValue))] + header.members.map { ($0.name, $0.value) })
        return try sign(payload: payload, encodedHeader: Base64URL.encodedBytes(header.bytes.span), with: key)
    }

    static func sign(
        payload: [UInt8], encodedHeader: [UInt8], with key: SigningKey
    ) throws(JOSEError) -> String {
        var token = encodedHeader
        token.append(UInt8(ascii: "."))
        token += Base64URL.encodedBytes(payload.span)
        let signature = try key.sign(token)
        token.append(UInt8(ascii: "."))
        token += Base64URL.encodedBytes(signature.span)
        return String(decoding: token, as: UTF8.self)
    }
}
