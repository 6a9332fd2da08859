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
