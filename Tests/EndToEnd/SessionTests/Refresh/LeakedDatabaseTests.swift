import Foundation
import JOSE
import JSON
import SQL
import StoreSupport
import Testing

@testable import ServerSupport

@Suite("A leaked database or secret")
struct LeakedDatabaseTests {
    private let server: ServerProcess
    private let login: TestResponse
    private let next: TestResponse

    init() throws {
        server = try ServerProcess()
        login = try server.devLogin("leak@example.com")
        next = try server.refresh(login.refreshToken)
    }

    /// The columns of the session in the database.
    private struct Leaked: Equatable {
        var hash: [UInt8]
        var previousHash: [UInt8]
        var random: [UInt8]
        var claims: JSONObject
        var hasEnded: Bool
    }

    private func leaked() throws -> Leaked {
        let columns =
            "token_hash, previous_hash, token_random, user_id, id, generation, rotated_at, expires_at, revoked_at"
        let database = try server.testDatabase.connection()
        let row = try database.first("SELECT \(columns) FROM refresh_tokens") { row in
            let claims: JSONObject = [
                "sub": .string(row.text(3)), "sid": .string(row.text(4)), "gen": .integer(row.integer(5)),
                "jti": .string(Base64URL.encode(row.blob(2))), "iat": .integer(row.integer(6) / 1000),
                "exp": .integer(row.integer(7) / 1000),
            ]
            return Leaked(
                hash: row.blob(0), previousHash: row.blob(1), random: row.blob(2), claims: claims,
                hasEnded: row.optionalInteger(8) != nil)
        }
        return try #require(row)
    }

    private func expectNothing(for tokens: [String]) throws {
        let before = try leaked()
        for token in tokens {
            let response = try server.refresh(token)
            #expect(response.status == 401)
            #expect(response.code == "invalid_refresh_token", "\(token)")
        }
        #expect(try leaked() == before)
        #expect(!before.hasEnded)
        #expect(try server.me(next.accessToken).status == 200)
        #expect(try server.refresh(next.refreshToken).generation == 3)
    }

    @Test("A leaked database yields no valid token and ends no session")
    func database() throws {
        let row = try leaked()
        let blobs = [row.hash, row.previousHash, row.random]
        let signed = next.refreshToken.split(separator: ".").prefix(2).joined(separator: ".")
        let written = blobs.flatMap { blob in
            [Base64URL.encode(blob), blob.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()]
        }
        let wronglySigned = blobs.map { signed + "." + Base64URL.encode($0) }
        let otherSecret = try ForgedToken.refreshToken(
            row.claims, secret: "a secret that is not ours, of thirty-two bytes")
        // With the right secret, the same claims give the valid token.
        #expect(try ForgedToken.refreshToken(row.claims) == next.refreshToken)
        try expectNothing(for: written + wronglySigned + [otherSecret])
    }

    @Test("A leaked refresh secret yields no valid token and ends no session")
    func secret() throws {
        let payload = next.refreshToken.split(separator: ".").map(String.init)[1]
        try expectNothing(for: [1, 2, 3].map { try ForgedToken.refreshToken(like: payload, generation: $0) })
    }

    @Test("The database contains no token")
    func noTokenStored() throws {
        let bytes = try server.testDatabase.content()
        for token in [login.refreshToken, next.refreshToken, next.accessToken] {
            #expect(bytes.range(of: Data(token.utf8)) == nil)
            #expect(bytes.range(of: Data(token.split(separator: ".")[2].utf8)) == nil)
        }
    }
}
