/// A code as the user has typed it, with the id that only the asking device has.
package struct PresentedCode: Sendable {
    package let id: String
    package let code: String

    package init(id: String, code: String) {
        (self.id, self.code) = (id, code)
    }

    /// The six digits; nil for a text that cannot be a code. White space and full-width digits come from keyboards.
    fileprivate var digits: String? {
        let digits = code.unicodeScalars.compactMap { scalar -> Unicode.Scalar? in
            switch scalar.value {
            case 0xFF10...0xFF19: Unicode.Scalar(scalar.value - 0xFF10 + 0x30)
            case 0x20, 0x3000: nil
            default: scalar
            }
        }
        guard digits.count == Self.length, digits.allSatisfy({ (0x30...0x39).contains($0.value) }) else { return nil }
        return String(String.UnicodeScalarView(digits))
    }

    private static let length = 6
}

extension AuthService {
    /// Logs in by a code. An unknown address becomes a new user.
    package func logIn(
        by presented: PresentedCode, nickname: String?, boundBy keyProof: SentProof? = nil, from device: Device,
        in context: inout RequestContext
    ) throws(Refusal) -> LoginResult {
        let now = platform.now()
        // First, because a client whose proof is refused for its nonce sends its login again.
        let key = try provenKey(of: keyProof, now: now, in: context)
        let proven = try proven(by: presented, now: now, requestID: context.id) { provider in
            _ = refusedLogin(.invalidCode, by: provider, from: device, in: context)
        }
        let result: LoginResult
        do throws(Refusal) {
            result = try openSession(
                for: proven, nickname: nickname, boundTo: key, from: device, now: now, in: &context)
        } catch {
            throw refusedLogin(error, by: proven.identity.provider, from: device, in: context)
        }
        reportUse(of: proven, requestID: context.id)
        return result
    }

    /// What a code proves. The try is counted, in a transaction of its own, before the code is compared: neither requests at
    /// the same time nor a crash give an attacker another one. The code is not used up yet.
    ///
    /// - Parameter reportWrong: called for a wrong code, where it is known of which provider.
    func proven(
        by presented: PresentedCode, now: Timestamp, requestID: String, reportWrong: (Provider) -> Void = { _ in }
    ) throws(Refusal) -> ProvenIdentity {
        guard let digits = presented.digits, let code = try store.countTry(ofCode: tokens.hash(presented.id), now: now)
        else {
            report(.wrongCode, requestID)
            throw .invalidCode
        }
        guard tokens.isCode(digits, id: presented.id, hashedAs: code.hash) else {
            report(.wrongCode, requestID)
            reportWrong(code.address.channel.provider)
            throw .invalidCode
        }
        guard senders[code.address.channel] != nil else { throw .unknownProvider }
        return ProvenIdentity(
            identity: Identity(codeAddress: code.address), method: code.address.channel.method,
            clientID: policy.defaultClientID, issuedAt: now,
            redemption: Redemption(tokenHash: code.idHash, moment: now, expiresAt: code.expiresAt))
    }

    func reportUse(of proven: ProvenIdentity, requestID: String) {
        if let channel = CodeChannel(proven.identity.provider) { report(.codeUsed(channel), requestID) }
    }
}

extension CodeChannel {
    fileprivate var method: LoginMethod {
        switch self {
        case .phone: .textMessage
        case .email: .mail
        }
    }
}

extension Identity {
    /// The subject is the address itself.
    init(codeAddress: CodeAddress) {
        let isEmail = codeAddress.channel == .email
        self.init(
            provider: codeAddress.channel.provider, subject: codeAddress.text,
            email: isEmail ? codeAddress.text : nil, emailVerified: isEmail ? true : nil)
    }
}
