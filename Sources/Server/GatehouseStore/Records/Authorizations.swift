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

private let takeRequest = """
    DELETE FROM authorization_requests WHERE hash = ? AND provider = ? AND browser = ?
    RETURNING \(StoredAuthorizationRequest.columns.selected)
    """

extension RecordConnection {
    fileprivate func insert(_ request: StoredAuthorizationRequest) throws {
        try send(StoredAuthorizationRequest.columns.insert, values: request.insertedValues())
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
        try first(takeRequest, .blob(stateHash), .text(provider.rawValue), .blob(browserHash)) { row in
            try StoredAuthorizationRequest(row: row)
        }
    }
}

extension StoredAuthorizationRequest: Record {
    static let columns = ColumnList(
        of: StoredAuthorizationRequest.self, in: "authorization_requests")

    static var unread: StoredAuthorizationRequest {
        StoredAuthorizationRequest(
            stateHash: [], provider: .apple, browserHash: [], nonce: "", codeVerifier: "", redirectURI: "",
            codeChallenge: "", appState: nil, expiresAt: Timestamp(milliseconds: 0))
    }

    mutating func visitColumns(_ column: inout some ColumnVisitor, _ row: borrowing AnyRow) throws {
        try column("hash", &stateHash, row)
        try column("provider", &provider, row)
        try column("browser", &browserHash, row)
        try column("nonce", &nonce, row)
        try column("code_verifier", &codeVerifier, row)
        try column("redirect_uri", &redirectURI, row)
        try column("code_challenge", &codeChallenge, row)
        try column("app_state", &appState, row)
        try column("expires_at", &expiresAt, row)
    }
}

// MARK: - Codes

private let codeByHash = """
    SELECT \(StoredAuthorizationCode.columns.selected) FROM authorization_codes WHERE hash = ?
    """

extension RecordConnection {
    fileprivate func insert(_ code: StoredAuthorizationCode) throws {
        try send(StoredAuthorizationCode.columns.insert, values: code.insertedValues())
    }

    fileprivate func authorizationCode(_ hash: [UInt8]) throws -> StoredAuthorizationCode? {
        try first(codeByHash, .blob(hash)) { row in try StoredAuthorizationCode(row: row) }
    }

    /// The code is used, and what it proved is gone.
    func markUsed(authorizationCode hash: [UInt8], opening session: SessionID) throws {
        try send(
            "UPDATE authorization_codes SET session_id = ?, proof = ? WHERE hash = ?", .text(session.text), .blob([]),
            .blob(hash))
    }
}

extension StoredAuthorizationCode: Record {
    static let columns = ColumnList(of: StoredAuthorizationCode.self, in: "authorization_codes")

    static var unread: StoredAuthorizationCode {
        StoredAuthorizationCode(
            hash: [], redirectURI: "", codeChallenge: "", sealedProof: [], expiresAt: Timestamp(milliseconds: 0))
    }

    mutating func visitColumns(_ column: inout some ColumnVisitor, _ row: borrowing AnyRow) throws {
        try column("hash", &hash, row)
        try column("redirect_uri", &redirectURI, row)
        try column("code_challenge", &codeChallenge, row)
        try column("proof", &sealedProof, row)
        try column("session_id", &sessionID, row)
        try column("expires_at", &expiresAt, row)
    }
}
