import DevelopmentHTTP
import JOSE
import JSON

/// How a provider answers at its endpoints: the body of `POST /openid/NAME/keys/faults`.
struct OpenIDFaults {
    /// By the names of `OpenIDProvider.endpoints`.
    var answers: [String: AnswerSettings]
    var settings: OpenIDSettings

    init(answers: [String: AnswerSettings], settings: OpenIDSettings) {
        (self.answers, self.settings) = (answers, settings)
    }

    /// What a body leaves out is as usual.
    init(_ json: JSONObject = [:], usualIssuer: String) throws(HTTPRefusal) {
        var order = OrderReader(json)
        settings = OpenIDSettings(issuer: order.text("issuer") ?? usualIssuer)
        if order.take("maxAge", { $0.isNull ? true : nil }) == true { settings.maximumAge = nil }
        settings.maximumAge = order.number("maxAge", in: 0...Int64.max) ?? settings.maximumAge
        answers = [:]
        for endpoint in OpenIDProvider.endpoints {
            var answer = AnswerSettings()
            answer.take(&order)
            if let text = order.text(endpoint.name) {
                answer.mode = try AnswerSettings.mode(text, of: endpoint.modes, member: endpoint.name)
            }
            answers[endpoint.name] = answer
        }
        try order.end(
            "known are discovery (\(AnswerSettings.list(AnswerMode.ofDiscovery))), keys "
                + "(\(AnswerSettings.list(AnswerMode.ofKeys))), authorize and token "
                + "(\(AnswerSettings.list(AnswerMode.ofSignIn))), the text issuer, the numbers seconds, status, and maxAge "
                + "(a number or null)")
    }

    var json: JSONObject {
        let keys = answers["keys"] ?? AnswerSettings()
        var json: JSONObject = [:]
        for name in OpenIDProvider.endpoints.map(\.name) {
            json[name] = (answers[name]?.mode.rawValue).map(JSONValue.string)
        }
        json["seconds"] = .integer(keys.seconds)
        json["status"] = .integer(keys.status)
        json["issuer"] = .string(settings.issuer)
        json["maxAge"] = settings.maximumAge.map(JSONValue.integer) ?? .null
        return json
    }
}

/// The key set that a provider publishes, also in forms that are hard to read.
struct KeySetDocument {
    let keys: PublishedKeys

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
            let other = try keys.signing(algorithm, isForged: true).publicJWK?.replacing(["kid": jwk["kid"] ?? nil])
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
