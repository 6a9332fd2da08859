import Foundation

extension GatehouseClient {
    /// Has the server send a code. The client never repeats this request by itself: each may send a message.
    ///
    /// After an error that ``GatehouseError/isTemporary``, the message may have been sent or not: have the user press the
    /// button again. Where too many codes were asked for (``ProblemCode/tooManyCodes``), `retryAfter` says how long to wait.
    ///
    /// - Parameter sent: the code that is sent again, with the same digits if it is still valid and was sent to this address.
    ///   Use the returned value from then on.
    public func requestCode(
        to destination: CodeDestination, resending sent: SentCode? = nil
    ) async throws(GatehouseError) -> SentCode {
        struct Body: Encodable { let channel: CodeDestination.Channel, to: String, codeId: String? }
        struct Answer: Decodable { let codeId: String, expiresIn: Int, resendAfter: Int }
        let body = Body(channel: destination.channel, to: destination.address, codeId: sent?.id)
        let data = try await connection.post("auth/codes", body, expecting: 202)
        let answer = try Connection.decode(Answer.self, from: data, status: 202)
        return SentCode(
            id: answer.codeId, to: destination, expiresIn: answer.expiresIn, resendAfter: answer.resendAfter,
            sentAt: clock.date())
    }

    /// Signs in with the code that the user has typed. A session that this replaces is ended at the server.
    ///
    /// The login is sent once. After a lost answer, the same code may be tried again, if the user wants: where the server has
    /// used it, or after too many tries, it is refused (``ProblemCode/invalidCode``), and a new one has to be requested.
    ///
    /// - Parameter code: in the digits of any script, with or without spaces.
    /// - Throws: ``GatehouseError/superseded`` as by ``signIn(with:)``.
    @discardableResult
    public func signIn(
        code: String, for sent: SentCode, nickname: String? = nil
    ) async throws(GatehouseError) -> Session {
        try await signIn(LoginRequest(code: code, for: sent, nickname: nickname))
    }
}

extension GatehouseClient {
    /// Signs in by one tap (一键登录), with the token that the library of a vendor has got from the carrier. A session that this
    /// replaces is ended at the server.
    ///
    /// A token can be used once, so it is sent once. After an error, get a new one, or offer the user a code
    /// (``requestCode(to:resending:)``), as where the device has no mobile data. A token that the carrier does not accept is
    /// ``ProblemCode/invalidIdentity``, a number that this server does not take ``ProblemCode/countryNotServed``.
    ///
    /// - Parameter gateway: the vendor's name at the receiver of the server's operator, such as `aliyun` or `jpush`.
    /// - Throws: ``GatehouseError/superseded`` as by ``signIn(with:)``.
    @discardableResult
    public func signIn(
        numberToken: String, gateway: String, nickname: String? = nil
    ) async throws(GatehouseError) -> Session {
        struct Body: Encodable { let gateway: String, token: String, nickname: String? }
        let body = Body(gateway: gateway, token: numberToken, nickname: nickname)
        return try await signIn(
            LoginRequest(
                path: "auth/number", body: try? JSONEncoder().encode(body), provider: .phone, code: .carrier))
    }
}

extension LoginRequest {
    fileprivate init(code: String, for sent: SentCode, nickname: String?) {
        let body = CredentialBody(code: code.asTypedCode, nickname: nickname)
        self.init(
            path: "auth/codes/" + Connection.segment(sent.id), body: try? JSONEncoder().encode(body),
            provider: sent.to.provider, code: .message)
    }
}

extension String {
    /// A number pad writes the digits of the device's language, and a paste may have spaces. The server takes ASCII digits.
    var asTypedCode: String {
        String(flatMap { $0.isWhitespace ? "" : $0.wholeNumberValue.map(String.init) ?? String($0) })
    }
}

/// Where the server sends a code: a phone number or a mail address.
public struct CodeDestination: Codable, Hashable, Sendable {
    enum Channel: String, Codable, Sendable {
        case phone
        case email
    }

    let channel: Channel
    /// As the user wrote it, to show where the code was sent.
    public let address: String

    /// - Parameter number: with `+` and the calling code, such as `+86 138 0013 8000`. Without them it is read as one of
    ///   the server's `PHONE_DEFAULT_COUNTRY`.
    public static func phone(_ number: String) -> CodeDestination {
        CodeDestination(channel: .phone, address: number)
    }

    public static func email(_ address: String) -> CodeDestination {
        CodeDestination(channel: .email, address: address)
    }

    /// Of the accounts that a code proves.
    public var provider: Provider {
        switch channel {
        case .phone: .phone
        case .email: .email
        }
    }
}

/// It is personal, so it does not print itself.
extension CodeDestination: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "CodeDestination(\(channel.rawValue) …)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A code that the server has sent. The user types it, and the app gives both to `signIn` or `bindPhone`.
///
/// Only this app has the id, so that a code that the user tells to another party cannot be used on another device. An app may keep
/// the value while the user reads the code in another app: the system may end a process in the background.
public struct SentCode: Codable, Hashable, Sendable, Identifiable {
    public let id: String
    public let to: CodeDestination
    /// How long the code is valid, in seconds.
    public let expiresIn: Int
    /// How long the server refuses to send it again, in seconds.
    public let resendAfter: Int
    /// When the server answered, by the device's clock.
    public let sentAt: Date

    /// For previews and tests of an app.
    public init(
        id: String, to: CodeDestination, expiresIn: Int = 600, resendAfter: Int = 60, sentAt: Date = Date()
    ) {
        (self.id, self.to, self.expiresIn) = (id, to, expiresIn)
        (self.resendAfter, self.sentAt) = (resendAfter, sentAt)
    }

    public var expiresAt: Date { sentAt.addingTimeInterval(Double(expiresIn)) }

    /// When ``GatehouseClient/requestCode(to:resending:)`` may send it again.
    public var resendAt: Date { sentAt.addingTimeInterval(Double(resendAfter)) }
}

/// With its id, a thief has the tries that are left to guess the code, so it does not print itself.
extension SentCode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "SentCode(…)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
