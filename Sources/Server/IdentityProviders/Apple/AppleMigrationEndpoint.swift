package import Curl
package import Gatehouse
import JOSE
import JSON
import Synchronization

/// Apple's endpoint for moving users to another developer team (TN3159), and the access token that it needs: one of the app, not
/// of a user, so it is asked for once and kept for its lifetime.
package final class AppleMigrationEndpoint: AppleMigration {
    /// Sends a form with an access token and returns the answer, with any status.
    package typealias Post =
        @Sendable (_ url: String, _ form: [(String, String)], _ token: String?) throws(HTTPFault) -> HTTPResponse

    /// A new token is asked for before Apple refuses the old one.
    private static let leeway = Duration.seconds(60)

    private struct AccessToken {
        let text: String
        let expiresAt: Timestamp
    }

    private let addresses: AppleAddresses
    private let secrets: ClientSecrets
    private let post: Post
    /// By client.
    private let tokens = Mutex<[String: AccessToken]>([:])

    package init(at addresses: AppleAddresses, secrets: ClientSecrets, post: @escaping Post) {
        (self.addresses, self.secrets, self.post) = (addresses, secrets, post)
    }

    package func transferSubject(
        of subject: String, to team: String, for clientID: String, now: Timestamp
    ) throws(AppleMigrationFault) -> String {
        let answer = try ask([("sub", subject), ("target", team)], for: clientID, now: now)
        guard let text = answer["transfer_sub"]?.identifier else { throw Self.unreadable }
        return text
    }

    package func subject(
        of transferSubject: String, for clientID: String, now: Timestamp
    ) throws(AppleMigrationFault) -> MigratedSubject {
        let answer = try ask([("transfer_sub", transferSubject)], for: clientID, now: now)
        guard let subject = answer["sub"]?.identifier else { throw Self.unreadable }
        return MigratedSubject(
            subject: subject, email: answer["email"]?.email, isPrivateEmail: answer["is_private_email"]?.flag)
    }

    private func ask(
        _ fields: [(String, String)], for clientID: String, now: Timestamp
    ) throws(AppleMigrationFault) -> JSONObject {
        let form = try credentials(of: clientID, now: now) + fields
        let token = try accessToken(for: clientID, now: now)
        var answer = try send(form, to: addresses.migration, token)
        if answer.refusesToken {
            // Apple has ended the token early.
            tokens.withLock { $0[clientID] = $0[clientID]?.text == token ? nil : $0[clientID] }
            answer = try send(form, to: addresses.migration, try accessToken(for: clientID, now: now))
        }
        guard answer.status == 200 else { throw answer.migrationFault(refusingUsers: true) }
        guard let object = answer.object else { throw Self.unreadable }
        return object
    }

    private func accessToken(for clientID: String, now: Timestamp) throws(AppleMigrationFault) -> String {
        let kept = tokens.withLock { $0[clientID] }
        if let kept, now + Self.leeway < kept.expiresAt { return kept.text }
        let answer = try send(
            try credentials(of: clientID, now: now)
                + [("grant_type", "client_credentials"), ("scope", "user.migration")],
            to: addresses.token, nil)
        guard answer.status == 200 else { throw answer.migrationFault(refusingUsers: false) }
        // The token becomes part of a header field.
        guard let object = answer.object, let text = object["access_token"]?.string, !text.isEmpty,
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), let seconds = object["expires_in"]?.integer,
            0...86_400 ~= seconds
        else { throw Self.unreadable }
        tokens.withLock { $0[clientID] = AccessToken(text: text, expiresAt: now + .seconds(seconds)) }
        return text
    }

    private func credentials(
        of clientID: String, now: Timestamp
    ) throws(AppleMigrationFault) -> [(String, String)] {
        do throws(JOSEError) {
            return [("client_id", clientID), ("client_secret", try secrets.secret(for: clientID, now: now))]
        } catch {
            throw .credentialsRefused("no client secret: \(error)")
        }
    }

    private func send(
        _ form: [(String, String)], to url: String, _ token: String?
    ) throws(AppleMigrationFault) -> HTTPResponse {
        do throws(HTTPFault) { return try post(url, form, token) } catch { throw .unavailable(error.description) }
    }

    private static let unreadable = AppleMigrationFault.unavailable("an answer that cannot be read")
}

extension HTTPResponse {
    /// Apple answers `invalid_grant` for an access token that it does not accept.
    fileprivate var refusesToken: Bool { status == 401 && oauthError == nil || oauthError == "invalid_grant" }

    fileprivate func migrationFault(refusingUsers: Bool) -> AppleMigrationFault {
        guard let word = oauthError else { return .unavailable("status \(status)") }
        if word == "invalid_request", refusingUsers { return .userRefused }
        return .credentialsRefused(word)
    }

    /// One of the known error codes. Faults contain no other text of an answer, because they are written to the terminal.
    private var oauthError: String? {
        guard (400..<500).contains(status), status != 429, let error = object?["error"]?.string else { return nil }
        return (["invalid_grant"] + Self.credentialErrors).first { $0 == error }
    }
}
