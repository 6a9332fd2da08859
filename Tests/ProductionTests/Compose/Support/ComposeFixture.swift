import Foundation
import JSON
import TestSupport

/// `docker compose up` with base images that are built here, because no registry is used.
final class ComposeFixture: Sendable {
    static let shared = Result { try ComposeFixture(DockerEngine.shared.get()) }

    /// Starts all containers that are not running.
    static func up() throws -> ComposeFixture {
        let fixture = try shared.get()
        try fixture.up()
        return fixture
    }

    static let project = "gatehouse-test"
    static let file = Executable.root + "/deploy/docker-compose.yml"
    private static let scripts = Executable.root + "/Tests/ProductionTests/Scripts/"

    let engine: DockerEngine
    let variables: [String: String]
    private let services: [String]
    let httpsPort: UInt16
    let applePort: UInt16

    private init(_ engine: DockerEngine) throws {
        self.engine = engine
        services = Self.services
        httpsPort = try FreePort.any()
        applePort = try FreePort.any()
        variables = [
            "COMPOSE_PROJECT_NAME": Self.project, "GATEHOUSE_PORT": "\(httpsPort)",
            "FAKE_APPLE_PORT": "\(applePort)", "COMPOSE_HTTP_TIMEOUT": "300",
        ]
        // Left over from a killed run.
        try down(volumes: true)
        try Shell.run([Executable.root + "/deploy/lib/build", "release", "gatehouse", "stand-in"])
        try engine.mustRun([
            Self.scripts + "base-images", Executable.root + "/.build/debian", Executable.root + "/.build/release",
        ])
        try compose("--file", Self.scripts + "build-network.yml", "build")
        Self.downAtExit
    }

    private init(_ other: ComposeFixture, services: [String], variables: [String: String]) {
        (engine, httpsPort, applePort) = (other.engine, other.httpsPort, other.applePort)
        self.services = services
        self.variables = other.variables.merging(variables) { $1 }
    }

    /// The same project with the profile `postgres`.
    func onPostgreSQL() throws -> ComposeFixture {
        let fixture = ComposeFixture(
            self, services: Self.services + ["postgres"],
            variables: [
                "COMPOSE_PROFILES": "postgres",
                "DATABASE_URL": "postgresql://gatehouse@/gatehouse?host=/run/postgresql",
            ])
        try fixture.compose("--file", Self.scripts + "build-network.yml", "build", "postgres")
        return fixture
    }

    private static let downAtExit: Void = {
        atexit { try? ComposeFixture.shared.get().down(volumes: true) }
    }()

    @discardableResult
    func compose(_ arguments: String...) throws -> String {
        try engine.mustRun(["docker-compose", "--file", Self.file] + arguments, variables: variables)
    }

    func up() throws {
        if try isRunning() { return }
        try compose("up", "--detach")
        guard
            Eventually.holds(within: 240, every: 0.2, { (try? isRunning()) == true })
        else {
            throw Spawn.Failure(description: "not healthy: \(try states())\n\(try compose("logs", "--tail", "20"))")
        }
    }

    private func isRunning() throws -> Bool {
        let states = try states()
        return states.count == services.count && states.allSatisfy(\.isHealthy)
    }

    static let services = ["apple", "certificate", "example", "fake-apple", "gatehouse", "nginx", "secrets"]

    func down(volumes: Bool = false) throws {
        try compose("down", "--remove-orphans", volumes ? "--volumes" : "--timeout=30")
    }

    // MARK: - Containers

    func states() throws -> [ContainerState] {
        try containers().map { try ContainerState(inspected: engine.mustRun(["docker", "inspect", $0])) }
    }

    /// The ids of all containers, or of the containers of one service.
    func containers(of service: String? = nil) throws -> [String] {
        let project = ["--filter", "label=com.docker.compose.project=\(Self.project)"]
        let one = service.map { ["--filter", "label=com.docker.compose.service=\($0)"] } ?? []
        return try engine.mustRun(["docker", "ps", "--all", "--quiet"] + project + one).split(separator: "\n").map(
            String.init)
    }

    /// Runs a program in a service's container, by default as the container's user.
    func execute(_ service: String, user: String? = nil, _ command: String...) throws -> Shell.Outcome {
        let user = user.map { ["--user", $0] } ?? []
        return try engine.run(["docker", "exec"] + user + containers(of: service) + command)
    }

    // MARK: - Requests

    func certificate() throws -> String {
        let path = engine.folder.file("certificate.pem")
        let text = try execute("nginx", "cat", "/etc/gatehouse/tls/certificate.pem").output
        try Data(text).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Sends a request to nginx over TLS and trusts the certificate that the first start has created.
    func ask(_ path: String, _ json: JSONObject? = nil, bearer: String? = nil, also: [String] = []) throws
        -> HTTPResponse
    {
        var command = ["curl", "--silent", "--show-error", "--max-time", "30", "--noproxy", "*"]
        command += ["--cacert", try certificate(), "--write-out", "\\n%{http_code}"] + also
        if let bearer { command += ["--header", "Authorization: Bearer \(bearer)"] }
        if let json { command += ["--header", "Content-Type: application/json", "--data", json.description] }
        return HTTPResponse(try Shell.run(command + ["https://localhost:\(httpsPort)\(path)"]))
    }

    /// The request body of a login with the fake Apple.
    func mint(_ subject: String) throws -> JSONObject {
        let order: JSONObject = ["sub": .string(subject)]
        let answer = try Shell.run([
            "curl", "--silent", "--fail", "--max-time", "30", "--noproxy", "*", "--data", order.description,
            "http://127.0.0.1:\(applePort)/mint",
        ])
        return try JSONValue(parsing: answer).object ?? [:]
    }

    func secret(_ name: String) throws -> String {
        try execute("gatehouse", "cat", "/etc/gatehouse/credentials/" + name).text
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Logs in a new user with the development secret.
    func login(_ email: String) throws -> JSONObject {
        try ask("/api/auth/dev-login", ["email": .string(email), "devSecret": .string(secret("dev_login_secret"))]).json
    }
}
