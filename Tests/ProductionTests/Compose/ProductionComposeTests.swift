import Foundation
import JSON
import TestSupport
import Testing

/// The images of a release, and its compose file. Shares the engine and the base images of the compose file for development.
@Suite("docker-compose up in production", .serialized, .needs(.docker), .requiresDockerEngine)
struct ProductionComposeTests {
    private let engine: DockerEngine
    private let folder: TemporaryFolder
    private let port: UInt16

    init() throws {
        engine = try ComposeFixture.shared.get().engine
        folder = try TemporaryFolder()
        port = try FreePort.any()
        try Shell.run(["cp", "-r", ReleasedCheckout.files.get(), folder.file("release")])
        for (image, more) in [("gatehouse", []), ("nginx", ["--build-arg", "SERVER_NAME=localhost"])] {
            let tag = image == "nginx" ? "gatehouse-front" : image
            try engine.mustRun(
                ["docker", "build", "--network", "host", "--file", folder.file("release/containers/Dockerfile")]
                    + ["--target", image, "--tag", tag] + more + [folder.file("release")])
        }
        let prepare = """
            cd "$0/release/containers"
            printf 'SERVER_NAME=localhost\\nGATEHOUSE_PORT=127.0.0.1:%s\\n' "$1" >.env
            sed -i 's/^APPLE_BUNDLE_ID=.*/APPLE_BUNDLE_ID=com.example.app/' gatehouse.conf
            echo APPLE_JWKS_URL=http://127.0.0.1:8444/auth/keys >>gatehouse.conf
            mkdir -p tls providers.d receivers.d gatehouse.d
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \\
                -addext subjectAltName=DNS:localhost -keyout tls/certificate.key -out tls/certificate.pem 2>/dev/null
            chown -R 10002 tls
            chmod -R go+rX "$0"
            """
        try Shell.run(["bash", "-euc", prepare, folder.path, "\(port)"])
    }

    @discardableResult
    private func compose(_ arguments: String...) throws -> String {
        let command = ["docker-compose", "--file", folder.file("release/containers/docker-compose.yml")]
        return try engine.mustRun(
            command + arguments, variables: ["COMPOSE_PROJECT_NAME": "gatehouse-production"])
    }

    private func ask(_ path: String) throws -> HTTPResponse {
        HTTPResponse(
            try Shell.run([
                "curl", "--silent", "--show-error", "--max-time", "30", "--noproxy", "*", "--cacert",
                folder.file("release/containers/tls/certificate.pem"), "--write-out", "\\n%{http_code}",
                "https://localhost:\(port)\(path)",
            ]))
    }

    private func container(_ service: String) throws -> String { try compose("ps", "--quiet", service) }

    private func isHealthy(_ service: String) throws -> Bool {
        let state = try ContainerState(inspected: engine.mustRun(["docker", "inspect", container(service)]))
        return state.status == "running" && state.health == "healthy"
    }

    @Test("The images of the package serve, confined: no shell, no root, nothing to write but the volumes")
    func serves() throws {
        defer { _ = try? compose("down", "--volumes", "--remove-orphans") }
        for secret in ["jwt_access_secret", "jwt_refresh_secret", "data_key"] {
            try compose("run", "--rm", "key", secret)
        }
        try compose("up", "--detach", "--no-build")
        // There is no network outside. The fake Apple is in the container's own.
        try engine.mustRun([
            "docker", "run", "--detach", "--rm", "--network", "container:\(container("gatehouse"))", "--tmpfs", "/tmp",
            "--env", "APPLE_BUNDLE_ID=com.example.app", "--entrypoint", "stand-in", "gatehouse-development", "serve",
            "--keys", "/tmp/keys", "--port", "8444",
        ])
        for service in ["gatehouse", "nginx"] {
            #expect(
                try Eventually.holds(within: 120, every: 0.2) { try isHealthy(service) },
                "\((try? compose("logs")) ?? "")")
        }
        #expect(try ask("/api/users/me")["code"] == "invalid_access_token")
        #expect(try ask("/gatehouse.js").status == 200)
        try confined()
        try compose("restart", "gatehouse")
        #expect(try Eventually.holds(within: 120, every: 0.2) { try isHealthy("gatehouse") })
        #expect(try ask("/api/users/me").status == 401)
    }

    @Test("A build gets nothing of the folder but the packages and its recipe: no certificate, no settings")
    func context() throws {
        let recipe = folder.file("Dockerfile")
        try "FROM scratch\nCOPY . /context/\nCMD [\"-\"]\n".write(toFile: recipe, atomically: true, encoding: .utf8)
        try engine.mustRun(["docker", "build", "--file", recipe, "--tag", "context", folder.file("release")])
        let container = try engine.mustRun(["docker", "create", "context"])
        defer { _ = try? engine.mustRun(["docker", "rm", container]) }
        try engine.mustRun(["docker", "cp", container + ":/context", folder.file("context")])
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.file("context"))
            .filter { !$0.hasSuffix(".deb") && !$0.contains("ockerfile") }
        #expect(files.sorted() == ["containers", "containers/nginx.values"])
    }

    private func confined() throws {
        let gatehouse = try container("gatehouse")
        let users = try engine.mustRun(["docker", "exec", gatehouse, "/usr/bin/gatehouse", "users", "list", "--json"])
        #expect(users.contains("users"))
        for program in ["sh", "/bin/sh", "bash", "apt-get", "dpkg", "/usr/bin/openssl"] {
            #expect(try engine.run(["docker", "exec", "--user", "0", gatehouse, program]).status != 0, "\(program)")
        }
        let pid = try engine.mustRun(["docker", "inspect", "--format", "{{.State.Pid}}", gatehouse])
        let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        for line in ["NoNewPrivs:\t1", "CapEff:\t0000000000000000", "CapBnd:\t0000000000000000", "Uid:\t10001\t10001"] {
            #expect(status.contains(line), "\(status)")
        }
        let mounts = try String(contentsOfFile: "/proc/\(pid)/mounts", encoding: .utf8)
        let root = try #require(mounts.split(separator: "\n").first { $0.split(separator: " ")[1] == "/" })
        #expect(root.split(separator: " ")[3].hasPrefix("ro"), "\(root)")
        let text = try engine.mustRun(["docker", "image", "inspect", "gatehouse"])
        let image = try JSONValue(parsing: Array(text.utf8)).array?.first?.object ?? [:]
        #expect(image["Config"]?.object?["User"] == "10001:10001")
        #expect((image["Size"]?.integer ?? .max) < 60_000_000, "\(image["Size"]?.integer ?? 0) bytes")
        // What finds known faults of Debian's packages reads these.
        let entries = folder.file("entries")
        try engine.mustRun(["docker", "cp", gatehouse + ":/var/lib/dpkg/status.d", entries])
        let packages = try FileManager.default.contentsOfDirectory(atPath: entries)
        for package in ["libssl3", "libcurl4", "libc6", "ca-certificates"] {
            #expect(packages.contains(package), "\(packages)")
        }
    }
}
