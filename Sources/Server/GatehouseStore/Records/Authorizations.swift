package import Gatehouse
import SQL

extension RelationalStore {
    package func keep(_ request: StoredAuthorizationRequest) throws(Refusal) {
        try writing { connection in
            try connection.insert(request)
            // The hash is random: about every 64th sign-in pays for this.
            if request.stateHash[0] % 64 == 0 { try connection.removeOldestAuthorizationRequests() }
        }
    }

    package func takeAuthorizationRequest(
        _ stateHash: [UInt8], of provider: Provider, in browserHash: [UInt8]
    ) throws(Refusal) -> StoredAuthorizationRequest? {
        // A read is enough for a state that an attacker has made up.
        let isThere = try reading { connection in
            try connection.first("SELECT 1 FROM authorization_requests WHERE hash = ?", .blob(stateHash)) { _ in true }
        }
        guard isThere != nil else { return nil }
        return try writing { try $0.takeAuthorizationRequest(stateHash, of: provider, in: browserHash) }
    }

    package func keep(_ code: StoredAuthorizationCode) throws(Refusal) {
        try writing { try $0.insert(code) }
    }

    package func authorizationCode(_ hash: [UInt8]) throws(Refusal) -> StoredAuthorizationCode? {
        try reading { try $0.authorizationCode(hash) }
    }
}

// MARK: - Requests

extension RecordConnection {
    fileprivate func insert(_ request: StoredAuthorizationRequest) throws {
        try send(
            """
            INSERT INTO authorization_requests (hash, provider, browser, nonce, code_verifier, redirect_uri, code_challenge,
                app_state, expires_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .blob(request.stateHash), .text(request.provider.rawValue), .blob(request.browserHash),
            .text(request.nonce), .text(request.codeVerifier), .text(request.redirectURI),
            .text(request.codeChallenge), .optional(request.appState), .integer(request.expiresAt.milliseconds))
    }

    /// Anyone may begin sign-ins. An attacker with many addresses fills no disk, and must keep on beginning hundreds a second so
    /// that a user who is at the provider's page finds their own sign-in gone.
    fileprivate func removeOldestAuthorizationRequests() throws {
        try send(
            """
            DELETE FROM authorization_requests WHERE id <=
                (SELECT id FROM authorization_requests ORDER BY id DESC LIMIT 1 OFFSET ?)
            """,
            .integer(Int64(StoredAuthorizationRequest.most)))
    }

    /// One statement, so that of two callbacks at the same time one gets the request.
    fileprivate func takeAuthorizationRequest(
        _ stateHash: [UInt8], of provider: Provider, in browserHash: [UInt8]
    ) throws -> StoredAuthorizationRequest? {
        try first(
            """
            DELETE FROM authorization_requests WHERE hash = ? AND provider = ? AND browser = ?
            RETURNING nonce, code_verifier, redirect_uri, code_challenge, app_state, expires_at
            """,
            .blob(stateHash), .text(provider.rawValue), .blob(browserHash)
        ) { row in
            StoredAuthorizationRequest(
                stateHash: stateHash, provider: provider, browserHash: browserHash, nonce: row.text(0),
                codeVerifier: row.text(1), redirectURI: row.text(2), codeChallenge: row.text(3),
                appState: row.optionalText(4), expiresAt: row.timestamp(5))
        }
    }
}

// MARK: - Codes

extension RecordConnection {
    fileprivate func insert(_ code: StoredAuthorizationCode) throws {
        try send(
            """
            INSERT INTO authorization_codes (hash, redirect_uri, code_challenge, proof, session_id, expires_at)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            .blob(code.hash), .text(code.redirectURI), .text(code.codeChallenge), .blob(code.sealedProof),
            .optional(code.sessionID?.text), .integer(code.expiresAt.milliseconds))
    }

    fileprivate func authorizationCode(_ hash: [UInt8]) throws -> StoredAuthorizationCode? {
        try first(
            """
            SELECT redirect_uri, code_challenge, proof, session_id, expires_at FROM authorization_codes WHERE hash = ?
            """,
            .blob(hash)
        ) { row in
            StoredAuthorizationCode(
                hash: hash, redirectURI: row.text(0), codeChallenge: row.text(1), sealedProof: row.blob(2),
                expiresAt: row.timestamp(4), sessionID: row.optionalText(3).map { SessionID($0) })
        }
    }

    /// The code is used, and what it proved is gone.
    func markUsed(authorizationCode hash: [UInt8], opening session: SessionID) throws {
        try send(
            "UPDATE authorization_codes SET session_id = ?, proof = ? WHERE hash = ?", .text(session.text), .blob([]),
            .blob(hash))
    }
}
