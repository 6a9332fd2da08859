import Foundation
import JSON
import TestSupport
import Testing

/// Each test starts with all containers running.
@Suite("docker-compose up", .serialized, .needs(.docker), .requiresDockerEngine)
struct ComposeTests {
    // MARK: - Requests

    @Test("A login with the fake Apple succeeds, and its code is exchanged")
    func appleLogin() throws {
        let fixture = try ComposeFixture.up()
        let session = try fixture.ask("/api/auth/apple", try fixture.mint("001.compose"))
        #expect(session.status == 200)
        let token = try #require(session["accessToken"])
        #expect(try fixture.ask("/api/users/me", bearer: token).status == 200)
        let isExchanged = Eventually.holds(within: 60, every: 0.1) {
            let requests = try? Shell.run([
                "curl", "-s", "--noproxy", "*", "http://127.0.0.1:\(fixture.applePort)/requests",
            ])
            return String(decoding: requests ?? [], as: UTF8.self).contains(#""path":"/auth/token""#)
        }
        #expect(isExchanged)
    }

    @Test("Only authenticated requests reach the example service, which gets the user's identity")
    func guardedExample() throws {
        let fixture = try ComposeFixture.up()
        let anonymous = try fixture.ask("/comments", ["text": "Hello"], also: ["--header", "X-User-Id: forged"])
        #expect(anonymous.status == 401)
        #expect(anonymous["code"] == "invalid_access_token")
        let session = try fixture.login("guest@example.com")
        let guest = try fixture.ask(
            "/comments", ["text": "Hello"], bearer: session["accessToken"]?.string,
            also: ["--header", "X-User-Id: forged"])
        #expect(guest.status == 201)
        #expect(guest["userId"] == session["user"]?.object?["id"]?.string)
    }

    @Test(
        "The example service gets the events of users, also those of a time in which it was stopped, and from Gatehouse alone"
    )
    func events() throws {
        let fixture = try ComposeFixture.up()
        let reader = try fixture.login("reader@example.com")["accessToken"]?.string
        let session = try fixture.login("writer@example.com")
        let (writer, id) = (session["accessToken"]?.string, session["user"]?.object?["id"]?.string)
        #expect(try fixture.ask("/comments", ["text": "Hello"], bearer: writer).status == 201)
        func nicknames() throws -> [String?] {
            let comments = try fixture.ask("/comments", bearer: reader).json["comments"]?.array ?? []
            return comments.compactMap(\.object).filter { $0["userId"]?.string == id }.map { $0["nickname"]?.string }
        }
        func rename(to name: String) throws {
            let change: JSONObject = ["nickname": .string(name)]
            #expect(try fixture.ask("/api/users/me", change, bearer: writer, also: ["-X", "PATCH"]).status == 200)
        }
        try rename(to: "Ada")
        #expect(try Eventually.holds(every: 0.2) { try nicknames() == ["Ada"] })
        try fixture.compose("stop", "example")
        try rename(to: "Ada L.")
        try fixture.up()
        #expect(Eventually.holds(within: 240, every: 0.2) { (try? nicknames()) == ["Ada L."] })
        for path in ["/events", "/comments/events"] {
            #expect(try fixture.ask(path, ["type": "user.deleted"], bearer: writer).status == 404, "\(path)")
        }
        #expect(try fixture.ask("/api/users/me", bearer: writer, also: ["-X", "DELETE"]).status == 204)
        #expect(try Eventually.holds(every: 0.2) { try nicknames().isEmpty })
    }

    // MARK: - Confinement

    @Test(
        "Every container runs as an unprivileged user on a read-only root without capabilities",
        arguments: ["gatehouse", "nginx", "fake-apple", "apple", "example"])
    func confinement(_ service: String) throws {
        let fixture = try ComposeFixture.up()
        #expect(try (10001...10003).contains(Int(fixture.execute(service, "id", "-u").text.dropLast()) ?? 0))
        // Even root in the container cannot write.
        for path in ["/x", "/usr/local/bin/x", "/etc/gatehouse/x"] {
            let attempt = try fixture.execute(service, user: "0", "touch", path)
            #expect(attempt.status != 0)
            #expect(attempt.errorOutput.contains("Read-only file system"))
        }
        let status = try fixture.execute(service, "cat", "/proc/1/status").text
        for line in ["NoNewPrivs:\t1", "CapEff:\t0000000000000000", "CapBnd:\t0000000000000000"] {
            #expect(status.contains(line))
        }
    }

    @Test("Memory, processes and logs of every container are limited")
    func limits() throws {
        for state in try ComposeFixture.up().states() where state.status == "running" {
            #expect((state.limits["Memory"]?.integer ?? 0) > 0, "\(state)")
            #expect((state.limits["PidsLimit"]?.integer ?? 0) > 0, "\(state)")
            #expect(state.limits["RestartPolicy"]?.object?["Name"]?.string == "unless-stopped", "\(state)")
            let log = state.limits["LogConfig"]?.object?["Config"]?.object
            #expect(log?["max-size"]?.string == "10m", "\(state)")
        }
    }

    @Test("Containers, images and logs show no secret, and only the owner can read each secret")
    func secrets() throws {
        let fixture = try ComposeFixture.up()
        let names = [
            "jwt_access_secret", "jwt_refresh_secret", "data_key", "dev_login_secret", "apple_private_key",
            "receivers/comments",
        ]
        var shown = try fixture.states().map(\.everything).joined() + fixture.compose("logs", "--no-color")
        for image in ["gatehouse-development", "gatehouse-nginx", "gatehouse-apple", "gatehouse-example"] {
            shown += try fixture.engine.mustRun(["docker", "history", "--no-trunc", image])
            shown += try fixture.engine.mustRun(["docker", "image", "inspect", image])
            let files = try fixture.engine.mustRun([
                "docker", "run", "--rm", "--network", "none", "--user", "0", "--entrypoint", "find", image,
                "/etc/gatehouse", "/var/lib", "-name", "*secret*", "-o", "-name", "*.key", "-o", "-name", "*.p8",
            ])
            #expect(files.isEmpty)
        }
        for name in names {
            let secret = try fixture.secret(name)
            let piece = try #require(secret.split(separator: "\n").max { $0.count < $1.count })
            #expect(piece.count >= 40)
            #expect(!shown.contains(piece))
            #expect(try fixture.execute("nginx", "cat", "/etc/gatehouse/credentials/" + name).status != 0)
            let mode = try fixture.execute("gatehouse", "stat", "-c", "%a %u", "/etc/gatehouse/credentials/" + name)
                .text
            #expect(mode == "600 10001\n")
        }
        #expect(
            try fixture.execute("nginx", "stat", "-c", "%a %u", "/etc/gatehouse/tls/certificate.key").text
                == "600 10002\n")
        #expect(try fixture.execute("fake-apple", "cat", "/etc/gatehouse/tls/certificate.key").status != 0)
    }

    // MARK: - Restarts

    @Test(
        "Requests succeed after each container is restarted",
        arguments: ["gatehouse", "fake-apple", "apple", "example", "nginx"])
    func restart(_ service: String) throws {
        let fixture = try ComposeFixture.up()
        let token = try #require(try fixture.login("before@example.com")["accessToken"]?.string)
        try fixture.compose("restart", service)
        try fixture.up()
        #expect(try fixture.ask("/api/users/me", bearer: token).status == 200)
        #expect(try fixture.ask("/api/auth/apple", try fixture.mint("002.\(service)")).status == 200)
        let isGuarded = Eventually.holds(every: 0.2) {
            (try? fixture.ask("/comments", bearer: token).status) == 200
        }
        #expect(isGuarded)
    }

    @Test("Containers stop in order, down keeps the data, and down --volumes removes everything")
    func downAndUp() throws {
        let fixture = try ComposeFixture.up()
        let session = try fixture.login("stays@example.com")
        let secrets = try fixture.secret("jwt_refresh_secret")
        try fixture.compose("stop")
        for state in try fixture.states() {
            // The fake Apple has no graceful shutdown, so the signal ends it.
            #expect(state.exitCode == (state.service == "fake-apple" ? 143 : 0), "\(state)")
        }
        try fixture.down()
        try fixture.up()
        #expect(try fixture.secret("jwt_refresh_secret") == secrets)
        let refreshed = try fixture.ask("/api/auth/refresh", ["refreshToken": session["refreshToken"] ?? .null])
        #expect(refreshed.status == 200)
        try fixture.down(volumes: true)
        let mine = ["--quiet", "--filter", "label=com.docker.compose.project=\(ComposeFixture.project)"]
        for kind in [["ps", "--all"], ["volume", "ls"], ["network", "ls"]] {
            #expect(try fixture.engine.mustRun(["docker"] + kind + mine) == "")
        }
    }

    @Test("With the profile `postgres`, the database is on a server in a container, which only Gatehouse reaches")
    func postgres() throws {
        let file = try ComposeFixture.up()
        try file.down(volumes: true)
        let fixture = try file.onPostgreSQL()
        defer { try? fixture.down(volumes: true) }
        try fixture.up()
        let session = try fixture.login("stored@example.com")
        #expect(try fixture.execute("gatehouse", "gatehouse", "users", "list").text.contains("stored@example.com"))
        let query = "SELECT email FROM users"
        func ask(as user: String) throws -> Shell.Outcome {
            try fixture.execute(
                "postgres", "psql", "-h", "/run/postgresql", "-U", user, "-d", "gatehouse", "-Atc", query)
        }
        let rows = try ask(as: "postgres")
        #expect(rows.text == "stored@example.com\n", "\(rows.errorOutput)")
        #expect(try ask(as: "gatehouse").errorOutput.contains("Peer authentication failed"))
        #expect(try fixture.execute("gatehouse", "test", "-e", "/var/lib/gatehouse/gatehouse.db").status == 1)
        for service in ["nginx", "example", "apple"] {
            #expect(try fixture.execute(service, "test", "-e", "/run/postgresql/.s.PGSQL.5432").status == 1)
        }
        #expect(try fixture.execute("postgres", "id", "-u").text == "10004\n")
        #expect(try fixture.execute("postgres", user: "0", "touch", "/x").errorOutput.contains("Read-only file system"))
        for service in ["postgres", "gatehouse"] {
            try fixture.compose("restart", service)
            try fixture.up()
        }
        let refreshed = try fixture.ask("/api/auth/refresh", ["refreshToken": session["refreshToken"] ?? .null])
        #expect(refreshed.status == 200)
    }
}
