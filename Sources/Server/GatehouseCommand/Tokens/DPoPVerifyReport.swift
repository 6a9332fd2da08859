import Gatehouse
import GatehouseTokens
import JOSE
import JSON

/// Explains the verification of a proof to the developer of a client. The server's code decides, and this only describes.
/// Prints claims, but neither the proof nor an access token.
struct DPoPVerifyReport {
    private typealias Part = UnreadableProof.Part

    private let text: String
    private let request: ProvenRequest
    private let now: Timestamp
    private let proof: Result<DPoPProof, UnreadableProof>
    private let form: Result<CompactJWS, MalformedJWS>
    private let claims: JSONObject

    init(_ text: String, of request: ProvenRequest, now: Timestamp) {
        (self.text, self.request, self.now) = (text, request, now)
        proof = Result { () throws(UnreadableProof) in try JWTTokenService.readProof(Array(text.utf8)[...]) }
        form = Result { () throws(MalformedJWS) in
            try CompactJWS(text, maximumBytes: JWTTokenService.longestProof)
        }
        claims = (try? form.get().claims()) ?? [:]
    }

    /// The claims, or the first fault in the order of the server.
    var verdict: Result<JSONObject, DPoPFault> {
        switch proof {
        case .failure(let unreadable): .failure(unreadable.fault)
        case .success(let proof): fault(of: proof).map { .failure($0) } ?? .success(claims)
        }
    }

    /// Of the proof's key; nil if the key cannot be read.
    var thumbprint: String? { jwk.flatMap { try? JWKThumbprint.compute(of: $0) } }

    var checks: [VerifiedCheck] {
        switch proof {
        case .failure(let unreadable):
            reading(until: unreadable.part) + [.notMade("thumbprint"), .notMade("used")]
        case .success(let proof):
            reading(until: nil).prefix(while: { $0.subject != Part.method.rawValue }) + compared(proof)
        }
    }

    private func fault(of proof: DPoPProof) -> DPoPFault? {
        proof.checks(against: expectation(of: proof), at: now).first { !$0.passes }?.fault
            ?? (isOtherKey(proof) ? .key : nil)
    }

    /// What is not given is taken from the proof.
    private func expectation(of proof: DPoPProof) -> DPoPExpectation {
        DPoPExpectation(
            method: request.method ?? proof.method,
            urls: ProofURL(request.url ?? proof.url).map { [$0] } ?? [],
            accessTokenHash: request.accessToken.map(JWTTokenService.hash))
    }

    private func isOtherKey(_ proof: DPoPProof) -> Bool { request.thumbprint.map { $0 != proof.thumbprint } ?? false }
}

// MARK: - Reading

extension DPoPVerifyReport {
    /// - Parameter fault: the part that could not be read; nil if all could.
    private func reading(until fault: Part?) -> [VerifiedCheck] {
        let end = fault.flatMap(Part.allCases.firstIndex) ?? Part.allCases.endIndex
        return Part.allCases.enumerated().map { index, part in
            if index == end { return VerifiedCheck(.fault, part.rawValue, faultText(part)) }
            return index > end || Self.compared.contains(part)
                ? .notMade(part.rawValue) : VerifiedCheck(.ok, part.rawValue, finding(part))
        }
    }

    /// The claims that must also be right, which only a proof without a fault of form is asked.
    private static let compared: Set<Part> = [.method, .url, .issuedAt, .accessTokenHash, .nonce]

    private var header: JSONObject { (try? form.get().header) ?? [:] }

    private var jwk: JSONObject? { header["jwk"]?.object }

    private var keyKind: String { "\(shown(jwk?["kty"])) \(shown(jwk?["crv"]))" }

    private func finding(_ part: Part) -> String {
        switch part {
        case .form: "three parts, \(text.utf8.count) bytes"
        case .type: shown(header["typ"])
        case .algorithm: shown(header["alg"])
        case .key: "\(keyKind), thumbprint \(shown(thumbprint))"
        case .signature: "made with this key"
        case .claims: claims.names.map { shown(.string($0)) }.joined(separator: ", ")
        default: shown(claims[part.rawValue])
        }
    }

    private func faultText(_ part: Part) -> String {
        let claim = claims[part.rawValue]
        return switch part {
        case .form: "\(failure { () throws(MalformedJWS) in try form.get() }), \(text.utf8.count) bytes"
        case .type: "typ must be dpop+jwt, and is \(shown(header["typ"]))"
        case .algorithm: "\(shown(header["alg"])) is neither ES256 nor EdDSA"
        case .key: keyFault
        case .signature: "not valid for the key in jwk and these bytes"
        case .claims: failure { () throws(MalformedJWS) in try form.get().claims() }
        case .id: "jti must be a text of 1 to \(DPoPProof.longestID) bytes, and is \(shown(claim))"
        case .method, .url, .nonce: "\(part.rawValue) must be a text, and is \(shown(claim))"
        case .issuedAt: "iat must be seconds since 1970, and is \(shown(claim))"
        case .accessTokenHash: "ath must be a SHA-256 in base64url, and is \(shown(claim))"
        }
    }

    private var keyFault: String {
        guard let jwk else { return "the header has no jwk: it must be the public key as a JSON object" }
        if jwk["d"] != nil { return "jwk contains the private key (d): send the public members alone" }
        do throws(JOSEError) { _ = try VerificationKey(jwk: jwk) } catch { return error.description }
        return "a key of kind \(keyKind) does not sign with \(shown(header["alg"]))"
    }

    private func failure<Value>(_ read: () throws(MalformedJWS) -> Value) -> String {
        do throws(MalformedJWS) { _ = try read() } catch { return error.description }
        return ""
    }
}

// MARK: - Comparing

extension DPoPVerifyReport {
    private func compared(_ proof: DPoPProof) -> [VerifiedCheck] {
        let failed = Set(proof.checks(against: expectation(of: proof), at: now).filter { !$0.passes }.map(\.fault))
        return [
            check("htm", shown(proof.method), with: request.method, "--method", fails: failed.contains(.method)),
            urlCheck(proof, fails: failed.contains(.url)),
            timeCheck(proof, fails: !failed.isDisjoint(with: [.expired, .notYetValid])),
            accessTokenCheck(proof, fails: failed.contains(.accessToken)),
            nonceCheck(proof), keyCheck(proof),
            VerifiedCheck(.skipped, "used", "not checked: only the server knows whether the proof has been used"),
        ]
    }

    private func check(
        _ subject: String, _ value: String, with expected: String?, _ option: String, fails: Bool
    ) -> VerifiedCheck {
        guard let expected else {
            return VerifiedCheck(.skipped, subject, "\(value), not compared: no \(option) was given")
        }
        return fails
            ? VerifiedCheck(.fault, subject, "\(value) is not \(shown(expected))") : VerifiedCheck(.ok, subject, value)
    }

    private func urlCheck(_ proof: DPoPProof, fails: Bool) -> VerifiedCheck {
        guard ProofURL(proof.url) != nil else {
            return VerifiedCheck(.fault, "htu", "\(shown(proof.url)) is not a whole address of http or https")
        }
        return check("htu", shown(proof.url), with: request.url, "--url", fails: fails)
    }

    private func timeCheck(_ proof: DPoPProof, fails: Bool) -> VerifiedCheck {
        let age = (now.milliseconds - proof.issuedAt.milliseconds) / 1000
        let distance = age < 0 ? "\(-age) s after" : "\(age) s before"
        let finding = "issued \(proof.issuedAt), \(distance) \(now)"
        let limit = DPoPPolicy.window.wholeSeconds
        return fails
            ? VerifiedCheck(.fault, "iat", "\(finding), which is more than \(limit) s")
            : VerifiedCheck(.ok, "iat", finding)
    }

    private func accessTokenCheck(_ proof: DPoPProof, fails: Bool) -> VerifiedCheck {
        let value = shown(proof.accessTokenHash.map { Base64URL.encode($0) })
        guard let token = request.accessToken else {
            let finding = proof.accessTokenHash == nil ? "none in the proof" : value
            return VerifiedCheck(.skipped, "ath", "\(finding), not compared: no --access-token was given")
        }
        let hash = Base64URL.encode(JWTTokenService.hash(token))
        return fails
            ? VerifiedCheck(.fault, "ath", "\(value) is not the SHA-256 of the access token, \(hash)")
            : VerifiedCheck(.ok, "ath", value)
    }

    private func nonceCheck(_ proof: DPoPProof) -> VerifiedCheck {
        let finding = proof.nonce.map { "\(shown($0)), not checked: only the server knows its nonces" }
        return VerifiedCheck(.skipped, "nonce", finding ?? "none in the proof")
    }

    private func keyCheck(_ proof: DPoPProof) -> VerifiedCheck {
        guard let session = request.thumbprint else {
            let missing = request.accessToken == nil ? "no --jkt was given" : "the access token is bound to no key"
            return VerifiedCheck(.skipped, "thumbprint", "not compared: \(missing)")
        }
        let owner = request.isBoundByToken ? "the access token is bound" : "the session is bound"
        return isOtherKey(proof)
            ? VerifiedCheck(
                .fault, "thumbprint", "the proof's key is \(proof.thumbprint), and \(owner) to \(shown(session))")
            : VerifiedCheck(.ok, "thumbprint", "\(owner) to this key")
    }

    private func shown(_ text: String?) -> String { VerifiedCheck.shown(text.map(JSONValue.string)) }

    private func shown(_ value: JSONValue?) -> String { VerifiedCheck.shown(value) }
}
