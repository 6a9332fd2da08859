/// The kind of a token that was sent in the place of another.
package enum TokenKind: Sendable, Equatable, CaseIterable {
    case access
    case refresh
    /// Apple's identity token.
    case identity
}

extension AuthService {
    func readAccessToken(_ token: ArraySlice<UInt8>, now: Timestamp) throws(Refusal) -> Caller {
        do throws(Refusal) { return try tokens.readAccessToken(token, now: now) } catch {
            guard error == .invalidAccessToken, let kind = apparentKind(of: String(decoding: token, as: UTF8.self)),
                kind != .access
            else { throw error }
            throw .notAnAccessToken(kind)
        }
    }

    func readRefreshToken(_ token: String) throws(Refusal) -> PresentedToken {
        do throws(Refusal) { return try tokens.readRefreshToken(token) } catch {
            guard error == .invalidRefreshToken, let kind = apparentKind(of: token), kind != .refresh else {
                throw error
            }
            throw .notARefreshToken(kind)
        }
    }

    /// What a refused token says about itself. Nothing of it is verified, so it decides nothing: it is for the developer
    /// of a client that sends the wrong token.
    private func apparentKind(of token: String) -> TokenKind? {
        tokens.apparentKind(of: token) ?? (apple.isApparentlyApple(token) ? .identity : nil)
    }
}
