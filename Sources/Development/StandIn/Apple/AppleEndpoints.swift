import DevelopmentHTTP
import JOSE
import JSON

// Apple's endpoints, below `/auth`.
extension Apple {
    static let path = "/auth/"
    static let migrationPath = "/auth/usermigrationinfo"
    private static let migrationScope = "user.migration"

    private enum GrantType: String {
        case authorizationCode = "authorization_code"
        case refreshToken = "refresh_token"
        /// An access token for moving users to another team.
        case clientCredentials = "client_credentials"
    }

    func answer(_ request: HTTPRequest, at path: String, now: Int64) -> HTTPAction? {
        guard request.path.hasPrefix(Self.path) else { return nil }
        var record = record(of: request)
        let fault = faults.next(for: request.path)
        record.fault = fault?.kind.rawValue
        let action = fault?.action(for: request.path) ?? .reply(reply(to: request, &record, now: now))
        if case .reply(let reply, _) = action { record.status = reply.statusCode }
        log.add(record)
        guard let fault, fault.kind == .delay, case .reply(let reply, _) = action else { return action }
        return .reply(reply, afterSeconds: fault.seconds)
    }

    /// A value is recorded only if it is one that the developer's server may send.
    private func record(of request: HTTPRequest) -> RequestRecord {
        var record = RequestRecord(request)
        let isPage = request.path == Self.pagePath
        let form = isPage ? request.query : request.method == "POST" ? try? request.oauthForm() : nil
        record.fields = form?.knownNames ?? []
        record.clientID = form?["client_id"].flatMap { developer.owns($0) ? $0 : nil }
        if !isPage { record.grantType = form?["grant_type"].flatMap(GrantType.init)?.rawValue }
        return record
    }

    private func reply(to request: HTTPRequest, _ record: inout RequestRecord, now: Int64) -> HTTPReply {
        do {
            if ["GET", "POST"].contains(request.method), request.path == Self.pagePath {
                return try page(request, now: now)
            }
            return try reply(to: request, now: now)
        } catch let error as OAuthError {
            record.error = error.code.rawValue
            record.reason = error.reason
            return error.reply
        } catch let fault as PageFault {
            record.error = fault.error
            record.reason = fault.reason
            return WebPage.fault(of: "Apple", fault.error, fault.reason).reply
        } catch {
            return .refusal("500 Internal Server Error", "\(error)")
        }
    }

    private func reply(to request: HTTPRequest, now: Int64) throws -> HTTPReply {
        switch (request.method, request.path) {
        case ("GET", "/auth/keys"): return .ok(try keys.document)
        case ("POST", "/auth/token"): return .ok(try tokens(try request.oauthForm(), now: now))
        case ("POST", "/auth/revoke"):
            try revoke(try request.oauthForm(), now: now)
            return .ok([])
        case ("POST", Self.migrationPath):
            return .ok(try migration(try request.oauthForm(), authorization: request["authorization"], now: now))
        default:
            return .refusal(
                "404 Not Found",
                "GET /auth/authorize, GET /auth/keys, POST /auth/token, POST /auth/revoke, POST \(Self.migrationPath)")
        }
    }

    private func team(of secret: String, for clientID: String, now: Int64) throws(OAuthError) -> Int {
        try ClientSecret(developer: developer).check(secret, clientID: clientID, now: now)
    }
}

// MARK: - Tokens

extension Apple {
    private func tokens(_ form: FormFields, now: Int64) throws(OAuthError) -> JSONObject {
        let clientID = try form.required("client_id")
        let secret = try form.required("client_secret")
        let kind = GrantType(rawValue: try form.required("grant_type"))
        let team = try team(of: secret, for: clientID, now: now)
        if kind == .clientCredentials { return try migrationToken(form, team, clientID, now: now) }
        try transfers.state.requireOwner(team)
        return json(of: try issue(kind, form, clientID: clientID, now: now), now: now)
    }

    private func issue(
        _ kind: GrantType?, _ form: FormFields, clientID: String, now: Int64
    ) throws(OAuthError) -> IssuedTokens {
        switch kind {
        case .authorizationCode:
            let code = try form.required("code")
            return try grants.change { grants throws(OAuthError) in
                try grants.redeem(code: code, clientID: clientID, redirectURI: form["redirect_uri"], now: now)
            }
        case .refreshToken:
            let token = try form.required("refresh_token")
            return try grants.change { grants throws(OAuthError) in
                try grants.renew(refreshToken: token, clientID: clientID, now: now)
            }
        case .clientCredentials, nil:
            throw OAuthError(
                .unsupportedGrantType, "grant_type is authorization_code, refresh_token or client_credentials")
        }
    }

    private func migrationToken(
        _ form: FormFields, _ team: Int, _ clientID: String, now: Int64
    ) throws(OAuthError) -> JSONObject {
        guard try form.required("scope") == Self.migrationScope else {
            throw OAuthError(.invalidScope, "scope is \(Self.migrationScope)")
        }
        try transfers.state.requireMigration(by: team)
        return [
            "access_token": .string(transfers.newAccessToken(for: team, clientID, now: now)), "token_type": "Bearer",
            "expires_in": .integer(Grant.accessTokenLifetime),
        ]
    }

    private func json(of issue: IssuedTokens, now: Int64) -> JSONObject {
        let key = (try? keys.signing(.RS256, isForged: issue.web?.changes.isForged == true)) ?? keys.signing
        var json: JSONObject = [
            "access_token": .string(issue.accessToken), "token_type": "Bearer",
            "expires_in": .integer(Grant.accessTokenLifetime),
        ]
        json["refresh_token"] = issue.refreshToken.map(JSONValue.string)
        json["id_token"] = .string(
            Mint(key: key).token(
                for: issue.person.seen(by: transfers.view), hash: ("at_hash", issue.accessToken),
                authenticatedAt: issue.authenticatedAt, web: issue.web, now: now))
        return json
    }

    /// Ignores `token_type_hint`, which is only a hint (RFC 7009, section 2.1), and searches all tokens.
    private func revoke(_ form: FormFields, now: Int64) throws(OAuthError) {
        let clientID = try form.required("client_id")
        let secret = try form.required("client_secret")
        let token = try form.required("token")
        try transfers.state.requireOwner(try team(of: secret, for: clientID, now: now))
        try grants.change { grants throws(OAuthError) in try grants.revoke(token, clientID: clientID) }
    }
}

// MARK: - Moving users to another team, as TN3159 describes

extension Apple {
    private func migration(
        _ form: FormFields, authorization: String?, now: Int64
    ) throws(OAuthError) -> JSONObject {
        let clientID = try form.required("client_id")
        let team = try team(of: try form.required("client_secret"), for: clientID, now: now)
        try transfers.state.requireMigration(by: team)
        let bearer = "Bearer "
        guard let authorization, authorization.hasPrefix(bearer),
            transfers.accepts(String(authorization.dropFirst(bearer.count)), for: team, clientID, now: now)
        else { throw OAuthError(.invalidGrant, "the access token is missing, expired, or another client's") }
        return form["transfer_sub"] == nil ? try transferSubject(form, for: team) : try migrated(form, for: team)
    }

    private func transferSubject(_ form: FormFields, for team: Int) throws(OAuthError) -> JSONObject {
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

    private func migrated(_ form: FormFields, for team: Int) throws(OAuthError) -> JSONObject {
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

// MARK: - What Apple says

extension OAuthError {
    static let usedCode = OAuthError(
        .invalidGrant, "the code was used before", description: "The code has already been used.")
    static let expiredCode = OAuthError(
        .invalidGrant, "the code is unknown, or older than five minutes",
        description: "The code has expired or has been revoked.")

    /// - Parameter value: of the request.
    static func mismatch(_ name: String, _ value: String) -> OAuthError {
        OAuthError(
            .invalidGrant, "\(name) is not the one that the code was issued to",
            description: "\(name) mismatch. The code was not issued to \(value).")
    }

    /// Apple does not describe `invalid_client`. The request log has the reason.
    static func client(_ reason: String) -> OAuthError { OAuthError(.invalidClient, reason, description: nil) }
}

extension HTTPRequest {
    fileprivate func oauthForm() throws(OAuthError) -> FormFields {
        guard hasForm else {
            throw OAuthError(.invalidRequest, "the Content-Type is not application/x-www-form-urlencoded")
        }
        guard let form else { throw OAuthError(.invalidRequest, "the body is not a form") }
        if let name = form.repeatedName {
            throw OAuthError(.invalidRequest, "\(FormFields.isKnown(name) ? name : "a field") is given twice")
        }
        return form
    }
}

extension FormFields {
    fileprivate func required(_ name: String) throws(OAuthError) -> String {
        guard let value = self[name] else { throw OAuthError(.invalidRequest, "\(name) is missing") }
        return value
    }
}
