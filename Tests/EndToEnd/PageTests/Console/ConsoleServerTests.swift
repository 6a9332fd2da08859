import Foundation
import JOSE
import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// The console of a running `deploy/run`, asked with curl.
@Suite("The console of deploy/run")
struct ConsoleServerTests {
    private func url(_ server: DevelopmentServer, _ path: String) -> String {
        "https://localhost:\(server.port)\(path)"
    }

    private func post(_ server: DevelopmentServer, _ path: String, _ body: JSONObject) throws -> TestResponse {
        try server.ask(
            url(server, path), "-X", "POST", "-H", "Content-Type: application/json", "-d", body.description)
    }

    @Test("deploy/run prints its address, and it serves the page with its own security policy")
    func page() throws {
        let server = try DevelopmentServer.shared.get()
        #expect(server.page.contains(url(server, "")) && server.page.contains("/console/ "))
        let page = try server.ask(url(server, "/console/"))
        #expect(page.status == 200 && page.header("content-type") == "text/html; charset=utf-8")
        #expect(page.header("content-security-policy") == "default-src 'self'")
        for name in ["content-security-policy", "x-content-type-options", "x-frame-options", "cache-control"] {
            #expect(page.count(ofHeader: name) == 1, "\(name)")
        }
        let bare = try server.ask(url(server, "/console"))
        #expect(bare.status == 308 && bare.header("location") == "/console/")
        #expect(try server.ask(url(server, "/console/lost")).status == 404, "internal")
        #expect(try server.ask(url(server, "/console/settings"), "-H", "Origin: https://evil.example").status == 403)
        #expect(try server.ask(url(server, "/console/settings"), "-H", "Host: rebind.example").status == 421)
    }

    @Test("A refused login gets the table of gatehouse apple verify, and no file keeps the token")
    func verify() throws {
        let server = try DevelopmentServer.shared.get()
        let login = try post(server, "/console/apple/mint", ["aud": "com.example.other"]).json
        let refusal = try post(server, "/api/auth/apple", login)
        #expect(refusal.status == 401 && refusal["reason"] == "audience")
        let report = try post(server, "/console/verify", login)
        #expect(report["ok"] == false)
        let checks = report["checks"]?.array?.compactMap(\.object) ?? []
        #expect(checks.filter { $0["state"] == "fault" }.compactMap { $0["subject"] } == ["audience"])
        #expect(report["reason"] == "audience" && report["detail"] == refusal["detail"])
        let outcome = try Shell.outcome(
            of: [
                Executable.gatehouse, "apple", "verify", "--jwks", server.data + "/console/keys.json",
                login["identityToken"]?.string ?? "",
            ],
            environment: ["GATEHOUSE_CONFIG": server.data + "/gatehouse.conf", "PATH": DevelopmentServer.path])
        #expect(outcome.errorOutput.split(separator: "\n").count == checks.count)
        #expect(!FileManager.default.fileExists(atPath: server.data + "/console/login.json"))
    }

    @Test("A proof gets the table of gatehouse dpop verify, and no file keeps it")
    func verifyProof() throws {
        let server = try DevelopmentServer.shared.get()
        let key = try SigningKey.generate(.ES256)
        let claims: JSONObject = ["jti": "one", "htm": "GET", "htu": "https://localhost/x", "iat": 1_760_000_000]
        let header: JSONObject = ["typ": "dpop+jwt", "jwk": .object(try #require(key.publicJWK))]
        let proof = try CompactJWS.sign(payload: claims.bytes, header: header, with: key)
        let report = try post(
            server, "/console/verify-proof",
            ["proof": .string(proof), "method": "POST", "accessToken": "--help", "jkt": .string(key.thumbprint)])
        let checks = report["checks"]?.array?.compactMap(\.object) ?? []
        #expect(checks.filter { $0["state"] == "fault" }.compactMap { $0["subject"] } == ["htm", "iat", "ath"])
        #expect(report["reason"] == "method" && report["jkt"] == .string(key.thumbprint))
        let wrong = try post(server, "/console/verify-proof", ["proof": .string(proof), "url": "--help"])
        #expect(wrong["ok"] == false && wrong["detail"]?.string?.contains("--url") == true)
        for name in ["proof", "access-token"] {
            #expect(!FileManager.default.fileExists(atPath: server.data + "/console/" + name))
        }
    }

    @Test("The providers of Gatehouse are offered, and the stand-in mints a login of each, which is accepted")
    func providers() throws {
        let server = try DevelopmentServer.shared.get()
        let list = try server.ask(url(server, "/console/providers"))["providers"]?.array?.compactMap(\.object) ?? []
        #expect(list.map { $0["name"] } == ["acme", "google", "qq", "wechat"])
        for provider in list {
            let path = try #require(provider["mint"]?.string, "\(provider)")
            let minted = try post(server, "/console/apple/" + path, [:])
            #expect(minted.status == 200, "\(path)")
            var body: JSONObject = ["provider": provider["name"] ?? .null]
            for member in ["identityToken", "code"] { body[member] = minted[member] }
            if provider["name"] == "qq" { body["redirectUri"] = "https://app.example.com/qq" }
            let login = try post(server, "/api/auth/identity", body)
            #expect(login.status == 200 && login["isNewUser"] == true, "\(path) \(login.json)")
        }
        // Not what changes the stand-in.
        #expect(try post(server, "/console/apple/wechat/app", [:]).status == 404)
    }

    @Test(
        "A lost answer: the connection ends, the request was carried out, and the log has its request id; others are the same"
    )
    func lostAnswer() throws {
        let server = try DevelopmentServer()
        let login = try post(server, "/api/auth/apple", try post(server, "/console/apple/mint", [:]).json).json
        let refreshToken: JSONObject = ["refreshToken": login["refreshToken"] ?? .null]
        for version in ["--http1.1", "--http2"] {
            #expect(try post(server, "/console/faults", ["fault": "lost", "times": 1]).status == 200)
            let lost = try Shell.outcome(
                of: [
                    "curl", "-sS", "--noproxy", "*", version, "--cacert", server.data + "/nginx/ca.pem", "-H",
                    "Content-Type: application/json", "-d", refreshToken.description,
                    url(server, "/console/faulty/api/auth/refresh"),
                ])
            #expect(lost.status != 0 && lost.output.isEmpty, "\(version): \(lost.text)")
        }
        let again = try post(server, "/console/faulty/api/auth/refresh", refreshToken)
        #expect(again.status == 200, "the lost answers are repeated")
        var lines: [JSONObject] = []
        let areComplete = Eventually.holds {
            lines = (try? server.ask(url(server, "/console/log/end")).json["lines"]?.array?.compactMap(\.object)) ?? []
            let faults = lines.filter { $0["source"] == "console" }.compactMap { $0["requestId"]?.string }
            return faults.count == 2
                && faults.allSatisfy { id in
                    ["gatehouse", "nginx"].allSatisfy { source in
                        lines.contains { $0["source"] == .string(source) && $0["requestId"] == .string(id) }
                    }
                }
        }
        #expect(areComplete, "\(lines)")
        let text = try String(contentsOfFile: server.data + "/logs/console.log", encoding: .utf8)
        #expect(!text.contains(login["refreshToken"]?.string ?? "-"))

        let bearer = "Authorization: Bearer " + (login["accessToken"]?.string ?? "")
        let direct = try server.ask(url(server, "/api/users/me"), "-H", bearer)
        let faulty = try server.ask(url(server, "/console/faulty/api/users/me"), "-H", bearer)
        #expect(direct.status == 200 && faulty.status == 200 && faulty.json == direct.json)
        #expect(Set(faulty.headers.map(\.name)) == Set(direct.headers.map(\.name)))
        #expect(faulty.headers.count == direct.headers.count, "no header twice")
        let sessions = try server.ask(url(server, "/console/faulty/api/users/me/sessions"), "-H", bearer)
        let address = sessions["sessions"]?.array?.first?.object?["address"]?.string
        #expect(["127.0.0.1", "::1"].contains(address))
        #expect(try server.ask(url(server, "/console/faulty/api/auth/verify"), "-H", bearer).status == 404)
    }

    @Test("No other user reaches the sockets of Gatehouse, of the console and of the API for the console")
    func sockets() throws {
        let server = try DevelopmentServer.shared.get()
        let folder = try FileManager.default.attributesOfItem(atPath: try socketFolder(server))
        #expect(try #require(folder[.posixPermissions] as? Int) & 0o077 == 0)
        // nginx gives all users access to its socket, so the folder has to exclude them.
        #expect(FileManager.default.fileExists(atPath: try socketFolder(server) + "/api.sock"))
        for name in ["console.sock", "gatehouse.sock"] {
            let path = try socketFolder(server) + "/" + name
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            let mode = try #require(attributes[.posixPermissions] as? Int)
            #expect(mode & 0o007 == 0, "\(name)")
        }
    }

    private func socketFolder(_ server: DevelopmentServer) throws -> String {
        let path = try #require(server.configuration.firstMatch(of: /LISTEN="unix:(.*)\/gatehouse.sock"/)?.output.1)
        return String(path)
    }
}
