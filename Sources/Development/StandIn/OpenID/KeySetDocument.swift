import JOSE
import JSON

/// The key set that a provider publishes, also in forms that are hard to read.
struct KeySetDocument {
    let keys: ProviderKeys

    func json(_ mode: AnswerMode) throws -> JSONObject {
        let good = try keys.all.compactMap(\.publicJWK)
        let members: [JSONObject] =
            switch mode {
            case .unusable: Self.unusable(like: good) + good
            case .duplicateKid: try good.flatMap(withNamesakes)
            case .noKid: good.map { $0.replacing(["kid": nil]) }
            case .empty: []
            default: good
            }
        return ["keys": .array(members.map(JSONValue.object))]
    }

    /// The key between two others with its key id, so that neither the first nor the last one is the right one.
    private func withNamesakes(_ jwk: JSONObject) throws -> [JSONObject] {
        guard let algorithm = jwk["alg"]?.string.flatMap(Algorithm.init(rawValue:)),
            let other = try keys.impostor(for: algorithm).publicJWK?.replacing(["kid": jwk["kid"] ?? nil])
        else { return [jwk] }
        return [other, jwk, other]
    }

    /// Keys that a client must skip: kinds and algorithms that providers may add at any time.
    private static func unusable(like good: [JSONObject]) -> [JSONObject] {
        func like(_ type: String, _ changes: JSONObject) -> JSONObject {
            let sample = good.first { $0["kty"]?.string == type } ?? ["kty": .string(type), "use": "sig"]
            return sample.replacing(changes)
        }
        let coordinate = JSONValue.string(Base64URL.encode([UInt8](repeating: 7, count: 32)))
        let point: JSONObject = ["x": coordinate, "y": coordinate]
        return [
            ["kty": "AKP", "alg": "ML-DSA-65", "use": "sig", "kid": "unusable-akp", "pub": coordinate],
            ["kty": "GATE", "alg": "GATE1", "use": "sig", "kid": "unusable-type", "gate": coordinate],
            like("RSA", ["alg": "RS999", "kid": "unusable-rsa"]),
            like("EC", point.replacing(["crv": "P-256", "alg": "ES999", "kid": "unusable-ec"])),
            like("EC", point.replacing(["crv": "P-999", "alg": "ES256", "kid": "unusable-curve"])),
        ]
    }
}

extension JSONObject {
    /// The object with other members; `null` removes one.
    func replacing(_ changes: JSONObject) -> JSONObject {
        var result = self
        for (name, value) in changes.members { result[name] = value.isNull ? .none : value }
        return result
    }
}
