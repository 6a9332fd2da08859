import Gatehouse
import GatehouseServer
import GatehouseStore
import SQLite
import TestSupport
import Testing

@testable import GatehouseCommand

@Suite("gatehouse check of passkeys")
struct PasskeyCheckTests {
    private static let apps = "ABCDE12345.com.example.app"
    private static let associations = #"{"applinks":{},"webcredentials":{"apps":["ABCDE12345.com.example.app"]}}"#

    private func passkeys(_ changes: [String: String] = [:]) throws -> PublishedPasskeys {
        let settings = [
            "JWT_ACCESS_SECRET": "access-secret-of-the-tests-0123456789",
            "JWT_REFRESH_SECRET": "refresh-secret-of-the-tests-012345678", "APPLE_BUNDLE_ID": "com.example.app",
            "PASSKEY_RP_ID": "example.com", "PASSKEY_APPS": Self.apps,
        ]
        let variables = settings.merging(changes) { $1 }
        return try #require(try Configuration(from: SettingSource(variables: variables)).passkeys)
    }

    /// What is found if the file of iOS has this answer, and the others are right.
    private func findings(
        _ answer: FileProbe, cache: FileProbe? = nil, at address: String = "https://api.example.com"
    ) throws -> [Finding] {
        PasskeyCheck(
            passkeys: try passkeys(), address: PublicAddress(address), database: nil,
            cache: cache.map { _ in "cache/" },
            fetch: { url in
                if url == "cache/example.com" { return cache ?? .unreachable("") }
                if url.hasSuffix("/apple-app-site-association") { return answer }
                return .answered(status: 200, type: "application/json", body: Array("{}".utf8))
            }
        ).run()
    }

    @Test("says what a phone sees, also where the file has more")
    func seen() throws {
        for type in ["application/json", "application/json; charset=utf-8", "Application/JSON"] {
            let answer = FileProbe.answered(status: 200, type: type, body: Array(Self.associations.utf8))
            let found = try findings(answer)
            #expect(found.map(\.grade) == [.ok, .ok])
            let url = "https://example.com/.well-known/apple-app-site-association"
            #expect(found[0].message == "an iPhone sees \(Self.apps) at \(url)")
        }
    }

    @Test("the files are at the domain of the RP id, at the port of the API if that is the same host")
    func place() throws {
        for (address, origin) in [
            ("https://api.example.com", "https://example.com/"),
            ("https://example.com:8443", "https://example.com:8443/"),
            ("https://notexample.com:8443", "https://example.com/"),
        ] {
            #expect(try findings(.unreachable("no route"), at: address)[0].message.hasPrefix(origin))
        }
    }

    @Test(
        "a file that a phone would not take is a fault",
        arguments: [
            (.unreachable("the certificate has expired"), "cannot be fetched: the certificate has expired"),
            (.answered(status: 301, type: nil, body: []), "answers 301, and redirects are not followed"),
            (.answered(status: 401, type: "application/json", body: []), "answers 401, and nobody sends a token"),
            (.answered(status: 404, type: "application/json", body: []), "answers 404"),
            (.answered(status: 200, type: nil, body: Array(associations.utf8)), "has another Content-Type"),
            (.answered(status: 200, type: "text/html", body: Array(associations.utf8)), "has another Content-Type"),
            (
                .answered(status: 200, type: "application/jsonx", body: Array(associations.utf8)),
                "has another Content-Type"
            ),
            (.answered(status: 200, type: "application/json", body: Array("<html>".utf8)), "is not JSON"),
            (.answered(status: 200, type: "application/json", body: Array("{}".utf8)), "does not have ABCDE12345"),
        ] as [(FileProbe, String)])
    func unseen(answer: FileProbe, fault: String) throws {
        let found = try findings(answer)
        #expect(found[0].grade == .fault && found[0].message.contains(fault), "\(found[0].message)")
        #expect(found[1].grade == .ok)
    }

    @Test("Apple's cache is asked only if that is wanted, and a copy without the app is a note")
    func cache() throws {
        let good = FileProbe.answered(status: 200, type: "application/json", body: Array(Self.associations.utf8))
        #expect(try findings(good).count == 2)
        #expect(try findings(good, cache: good).last == .ok("Apple's cache has \(Self.apps)"))
        for (answer, text) in [
            (FileProbe.unreachable("no route"), "cannot be asked: no route"),
            (.answered(status: 404, type: nil, body: []), "answers 404: an iPhone does not see the file yet"),
            (.answered(status: 200, type: nil, body: Array("{}".utf8)), "does not have \(Self.apps)"),
        ] {
            let last = try #require(try findings(good, cache: answer).last)
            #expect(last.grade == .note && last.message.contains(text), "\(last.message)")
        }
    }

    @Test("offline, nothing is fetched, and a changed RP id is a fault")
    func changed() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("gatehouse.db")
        let store = try SQLiteStore(path: path)
        #expect(try store.adopt(rpID: "example.org", now: Timestamp(seconds: 1)) == nil)
        func run() throws -> [Finding] {
            PasskeyCheck(
                passkeys: try passkeys(), address: nil, database: SQLiteFile(path: path), isOffline: true,
                fetch: { _ in .unreachable("fetched") }
            ).run()
        }
        #expect(try run().map(\.grade) == [.note], "no passkey belongs to the former one")
        let connection = try Connection(path: path, access: .readWrite)
        try connection.execute(
            script: """
                INSERT INTO users (id, created_at, updated_at) VALUES ('user_1', 1, 1);
                INSERT INTO auth_accounts (id, user_id, provider, provider_user_id, created_at, updated_at)
                VALUES ('acct_1', 'user_1', 'PASSKEY', 'handle', 1, 1)
                """)
        let found = try run()
        #expect(found.map(\.grade) == [.fault, .note])
        #expect(found[0].message.contains("belong to example.org, and PASSKEY_RP_ID is example.com"))
    }

    @Test("more related origins than every browser reads are a note")
    func related() throws {
        let origins = (0...5).map { "https://example\($0).org" }.joined(separator: ",")
        func notes(_ list: String) throws -> Int {
            PasskeyCheck(
                passkeys: try passkeys(["PASSKEY_ORIGINS": "https://example.com," + list]), address: nil, database: nil,
                isOffline: true
            ).run().count
        }
        #expect(try notes(origins) == 2 && notes("https://example.org") == 1)
    }
}
