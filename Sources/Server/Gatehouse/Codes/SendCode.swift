import Text

/// A request for a code, as the client sends it.
package struct CodeRequest: Sendable {
    package let channel: CodeChannel
    /// As the user has written it.
    package let to: String
    /// The id of the code that is to be sent again.
    package var resending: String?
    package var acceptLanguage: String?

    package init(channel: CodeChannel, to: String, resending: String? = nil, acceptLanguage: String? = nil) {
        (self.channel, self.to, self.resending, self.acceptLanguage) = (channel, to, resending, acceptLanguage)
    }
}

/// The answer to a request for a code. It is the same whether the address has an account or not.
package struct SentCode: Sendable, Equatable {
    package let id: String
    package let expiresIn: Duration
    package let resendAfter: Duration
}

private struct NewCode {
    let id: String
    let seed: [UInt8]
    let hash: [UInt8]
    /// A test code, of which nothing is sent.
    let isFixed: Bool
}

extension AuthService {
    /// Sends a code. It is counted before it is sent, in the database that all nodes share: a store that is down sends
    /// nothing, and a crash cannot give an attacker a message more.
    package func sendCode(
        _ request: CodeRequest, from device: Device, requestID: String
    ) throws(Refusal) -> SentCode {
        guard let sender = senders[request.channel] else { throw .unknownProvider }
        let (address, prefix, country) = try address(of: request)
        let id = newCodeID()
        let now = issueTime(at: platform.now())
        let send = CodeSend(
            idHash: tokens.hash(id), resentHash: request.resending.map(tokens.hash), address: address,
            keys: codeKeys(of: address, prefix: prefix, country: country, from: device), moment: now)
        do throws(Refusal) {
            let limits = policy.codes.limits
            // A refused request only reads, so that an attacker cannot occupy the one writer.
            let facts = try store.codeFacts(of: send, limits: limits)
            if let reached = limits.reached(on: facts, now: now) { throw .tooManyCodes(reached) }
            let new = newCode(id, for: address, now: now)
            let (decision, wait) = try record(send, of: request, new: new)
            let (sentID, code) = try deliver(decision, of: send, for: request, new: new, by: sender, requestID)
            if !new.isFixed { report(.codeSent(request.channel), requestID) }
            return SentCode(id: sentID, expiresIn: now.duration(to: code.expiresAt), resendAfter: wait)
        } catch {
            refusedCode(error, request.channel, from: device, requestID: requestID)
            throw error
        }
    }

    /// The address in its one form, and what it is counted by.
    private func address(
        of request: CodeRequest
    ) throws(Refusal) -> (address: CodeAddress, prefix: String?, country: String?) {
        let number: PhoneNumber
        do throws(AddressFault) {
            switch request.channel {
            case .email: return (CodeAddress(.email, try EmailAddress(request.to).text), nil, nil)
            case .phone: number = try PhoneNumber(ofAnyKind: request.to, defaultCountry: policy.codes.defaultCountry)
            }
        } catch {
            throw .invalidAddress(error)
        }
        return (CodeAddress(.phone, try servedForm(of: number)), number.prefix, number.country.code)
    }

    /// The form of a number that gets the code. A number that an account has goes on in the form that the account has, whatever
    /// the table of numbers says now: a user must not be locked out by a new version.
    ///
    /// - Parameter permitsTestCodes: whether a number with a test code is served wherever it is.
    func servedForm(of number: PhoneNumber, permitsTestCodes: Bool = true) throws(Refusal) -> String {
        let (rules, forms) = (policy.codes, number.forms)
        if permitsTestCodes, rules.testCode(for: CodeAddress(.phone, number.text), now: platform.now()) != nil {
            return number.text
        }
        let fault = number.fault(permitting: rules.kinds)
        let isServed = rules.countries.contains(number.country)
        if fault != nil || !isServed || forms.count > 1,
            rules.countries.contains(where: { $0.callingCode == number.country.callingCode })
        {
            let known = try store.knownNumbers(among: forms)
            if let form = forms.first(where: known.contains) { return form }
        }
        if let fault { throw .invalidAddress(fault) }
        guard isServed else { throw .countryNotServed }
        return number.text
    }

    private func newCodeID() -> String {
        "code_" + Hexadecimal.text(platform.random(16))
    }

    private func newCode(_ id: String, for address: CodeAddress, now: Timestamp) -> NewCode {
        let seed = platform.random(32)
        let fixed = policy.codes.testCode(for: address, now: now)
        let hash = fixed.map { tokens.hash(ofCode: $0, id: id) } ?? tokens.code(seed: seed, id: id).hash
        return NewCode(id: id, seed: seed, hash: hash, isFixed: fixed != nil)
    }

    /// Keyed hashes, because most of these people have no account.
    private func codeKeys(
        of address: CodeAddress, prefix: String?, country: String?, from device: Device
    ) -> CodeKeys {
        let provider = address.channel.provider
        func key(_ kind: String, _ text: String?) -> [UInt8]? {
            text.flatMap { hasher.hashes(of: "\(kind) \($0)", by: provider).first }
        }
        let network = device.network
        let (clientKey, networkKey) = networkKeys(of: device, by: provider)
        return CodeKeys(
            provider: provider, address: key("code address", address.mailbox) ?? [],
            prefix: key("code prefix", prefix),
            prefixFromNetwork: prefix.flatMap { prefix in
                network.flatMap { key("code prefix and network", "\(prefix) \($0)") }
            }, country: country,
            client: clientKey, network: networkKey)
    }

    /// What limits count a client and its network by. Guests are counted in the same way.
    func networkKeys(of device: Device, by provider: Provider) -> (client: [UInt8]?, network: [UInt8]?) {
        func key(_ kind: String, _ text: String?) -> [UInt8]? {
            text.flatMap { hasher.hashes(of: "\(kind) \($0)", by: provider).first }
        }
        let client = device.address.map { ClientNetwork.clientKey(ofAddress: $0) }
        return (key("code client", client), key("code network", device.network))
    }

    private func record(
        _ send: CodeSend, of request: CodeRequest, new: NewCode
    ) throws(Refusal) -> (decision: CodeDecision, wait: Duration) {
        let (limits, now) = (policy.codes.limits, send.moment)
        let stored = StoredCode(
            idHash: send.idHash, address: send.address, seed: new.seed, hash: new.hash,
            expiresAt: now + StoredCode.lifetime)
        return try store.record(send, limits: limits) { facts in
            if let reached = limits.reached(on: facts, now: now) { return (.refuse(reached), reached.wait) }
            let wait = limits.waitAfterSending(on: facts, now: now)
            // After the secret was rotated away, the code cannot be made again: another one is sent.
            if let known = facts.resendable, let id = request.resending,
                new.isFixed || self.text(of: known, id: id) != nil
            {
                return (.resend(known), wait)
            }
            return (.send(stored), wait)
        }
    }

    private func text(of code: StoredCode, id: String) -> String? {
        tokens.code(seed: code.seed, id: id, hashedAs: code.hash)
    }

    /// Sends the code of a decision, and returns it with its id.
    private func deliver(
        _ decision: CodeDecision, of send: CodeSend, for request: CodeRequest, new: NewCode,
        by sender: any MessageSender, _ requestID: String
    ) throws(Refusal) -> (id: String, code: StoredCode) {
        let (id, code): (String, StoredCode)
        switch decision {
        case .refuse(let reached): throw .tooManyCodes(reached)
        case .send(let stored): (id, code) = (new.id, stored)
        case .resend(let known): (id, code) = (request.resending ?? new.id, known)
        }
        guard !new.isFixed, let text = text(of: code, id: id) else { return (id, code) }
        let message = OutgoingMessage(
            to: send.address, content: .code(text, lifetime: send.moment.duration(to: code.expiresAt)),
            acceptLanguage: request.acceptLanguage)
        do throws(DeliveryFault) { try sender.send(message, requestID: requestID) } catch {
            report(.messageNotDelivered(request.channel, error), requestID)
            // Where nothing went out, the address need not wait.
            if error.hasSentNothing { try store.releaseAddress(of: send, code: code.idHash) }
            throw .deliveryUnavailable(request.channel)
        }
        return (id, code)
    }

    private func refusedCode(_ refusal: Refusal, _ channel: CodeChannel, from device: Device, requestID: String) {
        guard case .tooManyCodes(let reached) = refusal else { return }
        report(.codeRefused(channel, reached.scope), requestID)
        refusals.add(
            AuditEntry(
                .codeRefused, at: platform.now(), provider: channel.provider, device: device,
                detail: reached.scope.rawValue))
    }
}

extension DeliveryFault {
    /// Only where that is certain: a gateway that sends each message and answers with an error must not let one address get
    /// more. An address that is refused is not asked about again and again.
    var hasSentNothing: Bool {
        switch self {
        case .crowded, .limited, .misconfigured, .unavailable: true
        case .timeout, .failed, .refused: false
        }
    }
}

extension Device {
    fileprivate var network: String? { address.map { ClientNetwork(ofAddress: $0)?.text ?? $0 } }
}

extension CodeAddress {
    /// What the limits count as one mailbox: an address without the tag, which many mail servers ignore. The account is of
    /// the whole address, because other servers do not.
    fileprivate var mailbox: String {
        guard channel == .email, let at = text.lastIndex(of: "@"), let tag = text[..<at].firstIndex(of: "+"),
            tag > text.startIndex
        else { return text }
        return String(text[..<tag] + text[at...])
    }
}
