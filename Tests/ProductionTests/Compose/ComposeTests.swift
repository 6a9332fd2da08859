import Foundation
import JSON
import TestSupport
import Testing

/// Each test finds it up, whatever the one before has done to it.
@Suite("docker-compose up", .serialized, .whereAnEngineStarts)
struct ComposeTests {
    // MARK: - What it serves

    @Test("serves a login by secret over TLS, and what follows it")
    func devLogin() throws {
        let stand = try ComposeStand.up()
        let session = try stand.login("ada@example.com")
        let token = try #require(session["accessToken"]?.string)
        #expect(try stand.ask("/api/users/me", bearer: token)["email"] == "ada@example.com")
        let refreshed = try stand.ask("/api/auth/refresh", ["refreshToken": session["refreshToken"] ?? .null])
        #expect(refreshed.status == 200)
        let next = try #require(refreshed["accessToken"])
        #expect(try stand.ask("/api/users/me", bearer: next).status == 200)
    }

    @Test("serves a login with the fake Apple, whose code is exchanged")
    func appleLogin() throws {
        let stand = try ComposeStand.up()
        let session = try stand.ask("/api/auth/apple", try stand.mint("001.compose"))
        #expect(session.status == 200)
        let token = try #require(session["accessToken"])
        #expect(try stand.ask("/api/users/me", bearer: token).status == 200)
        let isExchanged = Eventually.holds(within: 60) {
            usleep(100_000)
            let asked = try? Shell.run(["curl", "-s", "--noproxy", "*", "http://127.0.0.1:\(stand.applePort)/requests"])
            return String(decoding: asked ?? [], as: UTF8.self).contains(#""path":"/auth/token""#)
        }
        #expect(isExchanged)
    }

    @Test("lets only those with a token through to the example service, which learns who they are")
    func guardedExample() throws {
        let stand = try ComposeStand.up()
        let stranger = try stand.ask("/example/", also: ["--header", "X-User-Id: somebody"])
        #expect(stranger.status == 401)
        #expect(stranger["code"] == "invalid_access_token")
        let session = try stand.login("guest@example.com")
        let guest = try stand.ask(
            "/example/", bearer: session["accessToken"]?.string, also: ["--header", "X-User-Id: somebody"])
        #expect(guest.status == 200)
        #expect(guest["userId"] == session["user"]?.object?["id"]?.string)
        #expect(guest["role"] == "USER")
    }

    // MARK: - How its containers are shut in

    @Test(
        "runs every container as an ordinary user, on a root that is read-only, with no rights to gain",
        arguments: ["gatehouse", "nginx", "fake-apple", "apple", "example"])
    func confinement(_ service: String) throws {
        let stand = try ComposeStand.up()
        #expect(try (10001...10003).contains(Int(stand.execute(service, "id", "-u").text.dropLast()) ?? 0))
        // Root itself, were it somebody's way in, would find nothing to write to either.
        for path in ["/x", "/usr/local/bin/x", "/etc/gatehouse/x"] {
            let attempt = try stand.execute(service, user: "0", "touch", path)
            #expect(attempt.status != 0)
            #expect(attempt.complaint.contains("Read-only file system"))
        }
        let status = try stand.execute(service, "cat", "/proc/1/status").text
        for line in ["NoNewPrivs:\t1", "CapEff:\t0000000000000000", "CapBnd:\t0000000000000000"] {
            #expect(status.contains(line))
        }
    }

    @Test("lets no container take the whole machine, or fill its disk with logs")
    func limits() throws {
        for state in try ComposeStand.up().states() where state.status == "running" {
            #expect((state.limits["Memory"]?.integer ?? 0) > 0, "\(state)")
            #expect((state.limits["PidsLimit"]?.integer ?? 0) > 0, "\(state)")
            #expect(state.limits["RestartPolicy"]?.object?["Name"]?.string == "unless-stopped", "\(state)")
            let log = state.limits["LogConfig"]?.object?["Config"]?.object
            #expect(log?["max-size"]?.string == "10m", "\(state)")
        }
    }

    @Test("shows no secret to whoever looks at containers, images or logs, and keeps each to its owner")
    func secrets() throws {
        let stand = try ComposeStand.up()
        let names = ["jwt_access_secret", "jwt_refresh_secret", "data_key", "dev_login_secret", "apple_private_key"]
        var shown = try stand.states().map(\.everything).joined() + stand.compose("logs", "--no-color")
        for image in ["gatehouse-development", "gatehouse-nginx", "gatehouse-apple", "gatehouse-example"] {
            shown += try stand.engine.must(["docker", "history", "--no-trunc", image])
            shown += try stand.engine.must(["docker", "image", "inspect", image])
            let files = try stand.engine.must([
                "docker", "run", "--rm", "--network", "none", "--user", "0", "--entrypoint", "find", image,
                "/etc/gatehouse", "/var/lib", "-name", "*secret*", "-o", "-name", "*.key", "-o", "-name", "*.p8",
            ])
            #expect(files.isEmpty)
        }
        for name in names {
            let secret = try stand.secret(name)
            let piece = try #require(secret.split(separator: "\n").max { $0.count < $1.count })
            #expect(piece.count >= 40)
            #expect(!shown.contains(piece))
            #expect(try stand.execute("nginx", "cat", "/etc/gatehouse/credentials/" + name).status != 0)
            let mode = try stand.execute("gatehouse", "stat", "-c", "%a %u", "/etc/gatehouse/credentials/" + name).text
            #expect(mode == "600 10001\n")
        }
        #expect(
            try stand.execute("nginx", "stat", "-c", "%a %u", "/etc/gatehouse/tls/certificate.key").text
                == "600 10002\n")
        #expect(try stand.execute("fake-apple", "cat", "/etc/gatehouse/tls/certificate.key").status != 0)
    }

    // MARK: - Comings and goings

    @Test(
        "serves on when a container is started again",
        arguments: ["gatehouse", "fake-apple", "apple", "example", "nginx"])
    func restart(_ service: String) throws {
        let stand = try ComposeStand.up()
        let token = try #require(try stand.login("before@example.com")["accessToken"]?.string)
        try stand.compose("restart", service)
        try stand.up()
        #expect(try stand.ask("/api/users/me", bearer: token).status == 200)
        #expect(try stand.ask("/api/auth/apple", try stand.mint("002.\(service)")).status == 200)
        let isGuarded = Eventually.holds(within: 30) {
            usleep(200_000)
            return (try? stand.ask("/example/", bearer: token).status) == 200
        }
        #expect(isGuarded)
    }

    @Test("stops in order, loses nothing at down, and leaves nothing at down --volumes")
    func downAndUp() throws {
        let stand = try ComposeStand.up()
        let session = try stand.login("stays@example.com")
        let secrets = try stand.secret("jwt_refresh_secret")
        try stand.compose("stop")
        for state in try stand.states() {
            // The fake Apple does not wait for anybody: it ends by the signal itself.
            #expect(state.exitCode == (state.service == "fake-apple" ? 143 : 0), "\(state)")
        }
        try stand.down()
        try stand.up()
        #expect(try stand.secret("jwt_refresh_secret") == secrets)
        let refreshed = try stand.ask("/api/auth/refresh", ["refreshToken": session["refreshToken"] ?? .null])
        #expect(refreshed.status == 200)
        try stand.down(volumes: true)
        let mine = ["--quiet", "--filter", "label=com.docker.compose.project=\(ComposeStand.project)"]
        for kind in [["ps", "--all"], ["volume", "ls"], ["network", "ls"]] {
            #expect(try stand.engine.must(["docker"] + kind + mine) == "")
        }
    }
}
