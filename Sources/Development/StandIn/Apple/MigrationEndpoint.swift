import DevelopmentHTTP
import JSON

/// `POST /auth/usermigrationinfo`: moves users from one team to the other, as TN3159 describes.
struct MigrationEndpoint {
    static let path = "/auth/usermigrationinfo"
    static let scope = "user.migration"

    let developer: DeveloperAccount
    let transfers: TransferStore

    func answer(_ form: Form, authorization: String?, now: Int64) throws(OAuthError) -> JSONObject {
        let clientID = try form.required("client_id")
        let team = try ClientSecret(developer: developer).check(
            try form.required("client_secret"), clientID: clientID, now: now)
        try transfers.state.requireMigration(by: team)
        let bearer = "Bearer "
        guard let authorization, authorization.hasPrefix(bearer),
            transfers.accepts(String(authorization.dropFirst(bearer.count)), for: team, clientID, now: now)
        else { throw OAuthError(.invalidGrant, "the access token is missing, expired, or another client's") }
        return form["transfer_sub"] == nil
            ? try transferSubject(form, for: team) : try migrated(form, for: team)
    }

    private func transferSubject(_ form: Form, for team: Int) throws(OAuthError) -> JSONObject {
        let (subject, target) = (try form.required("sub"), try form.required("target"))
        let other = 1 - team
        guard developer.teams[other].id == target else {
            throw OAuthError(.invalidRequest, "target is not the team that gets the app")
        }
        guard let person = TeamSubject.subject(ofTeam: team).person(of: subject) else {
            throw OAuthError(.invalidRequest, "sub is not a subject of the team")
        }
        try requireConsent(of: person)
        return ["transfer_sub": .string(TeamSubject.transfer(toTeam: other).text(of: person))]
    }

    private func migrated(_ form: Form, for team: Int) throws(OAuthError) -> JSONObject {
        let text = try form.required("transfer_sub")
        guard transfers.state.owner == team, transfers.state.isWindowOpen == true else {
            throw OAuthError(.invalidRequest, "the app is not being transferred to the team")
        }
        guard let person = TeamSubject.transfer(toTeam: team).person(of: text) else {
            throw OAuthError(.invalidRequest, "transfer_sub was not made for the team")
        }
        try requireConsent(of: person)
        let subject = TeamSubject.subject(ofTeam: team).text(of: person)
        var json: JSONObject = ["sub": .string(subject)]
        if transfers.hidesAddress(person) {
            json["email"] = .string(Person.relayAddress(of: subject))
            json["is_private_email"] = true
        }
        return json
    }

    private func requireConsent(of person: String) throws(OAuthError) {
        guard !transfers.state.revoked.contains(person) else {
            throw OAuthError(.invalidRequest, "the user has withdrawn their consent")
        }
    }
}

extension TransferStore.State {
    /// The team that owns the app may sign users in.
    func requireOwner(_ team: Int) throws(OAuthError) {
        guard team == owner else { throw OAuthError(.invalidClient, "the app belongs to another team") }
    }

    /// For 60 days after a transfer, the former team may move users as well.
    func requireMigration(by team: Int) throws(OAuthError) {
        guard team == owner || isWindowOpen == true else {
            throw OAuthError(.invalidClient, "the app belongs to another team")
        }
    }
}
