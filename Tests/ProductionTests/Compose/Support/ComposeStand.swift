import Foundation
import JSON
import POSIX
import TestSupport

/// What `docker compose up` in a clone comes to, with base images that were made here: there is no registry.
final class ComposeStand: Sendable {
    static let shared = Result { try ComposeStand(Engine.shared.get()) }

    /// The running stand. Whatever a test has stopped is up again.
    static func up() throws -> ComposeStand {
        let stand = try shared.get()
        try stand.up()
        return stand
    }

    static let project = "gatehouse-test"
    static let file = Executable.root + "/deploy/docker-compose.yml"
    private static let support = Executable.root + "/Tests/ProductionTests/Compose/Support/"

    let engine: Engine
    let variables: [String: String]
    let httpsPort: UInt16
    let applePort: UInt16

    private init(_ engine: Engine) throws {
        self.engine = engine
        httpsPort = try Listener.tcp(host: "127.0.0.1", port: 0).port ?? 0
        applePort = try Listener.tcp(host: "127.0.0.1", port: 0).port ?? 0
        variables = [
            "COMPOSE_PROJECT_NAME": Self.project, "GATEHOUSE_PORT": "\(httpsPort)",
            "FAKE_APPLE_PORT": "\(applePort)", "COMPOSE_HTTP_TIMEOUT": "300",
        ]
        // Of a run that was killed.
        try down(volumes: true)
        try engine.must([Self.support + "base-images", Executable.root + "/.build/debian"])
        try compose("--file", Self.support + "build-network.yml", "build")
        Self.downAtExit
    }

    private static let downAtExit: Void = {
        atexit { try? ComposeStand.shared.get().down(volumes: true) }
    }()

    @discardableResult
    func compose(_ arguments: String...) throws -> String {
        try engine.must(["docker-compose", "--file", Self.file] + arguments, variables: variables)
    }

    func up() throws {
        if try isWhole() { return }
        try compose("up", "--detach")
        guard
            Eventually.holds(
                within: 240,
                {
                    usleep(200_000)
                    return (try? isWhole()) == true
                })
        else {
            throw Spawn.Failure(description: "not healthy: \(try states())\n\(try compose("logs", "--tail", "20"))")
        }
    }

    private func isWhole() throws -> Bool {
        let states = try states()
        return states.count == Self.services.count && states.allSatisfy(\.isGood)
    }

    static let services = ["apple", "certificate", "example", "fake-apple", "gatehouse", "nginx", "secrets"]

    func down(volumes: Bool = false) throws {
        try compose("down", "--remove-orphans", volumes ? "--volumes" : "--timeout=30")
    }

    // MARK: - Its containers

    func states() throws -> [ContainerState] {
        try containers().map { try ContainerState(inspected: engine.must(["docker", "inspect", $0])) }
    }

    /// The identifiers of all containers, or of a service's.
    func containers(of service: String? = nil) throws -> [String] {
        let ours = ["--filter", "label=com.docker.compose.project=\(Self.project)"]
        let one = service.map { ["--filter", "label=com.docker.compose.service=\($0)"] } ?? []
        return try engine.must(["docker", "ps", "--all", "--quiet"] + ours + one).split(separator: "\n").map(
            String.init)
    }

    /// Runs a program in a service's container, as that container's user unless told otherwise.
    func execute(_ service: String, user: String? = nil, _ command: String...) throws -> Shell.Outcome {
        let user = user.map { ["--user", $0] } ?? []
        return try engine.run(["docker", "exec"] + user + containers(of: service) + command)
    }

    // MARK: - What it answers

    func certificate() throws -> String {
        let path = engine.folder.file("certificate.pem")
        let text = try execute("nginx", "cat", "/etc/gatehouse/tls/certificate.pem").output
        try Data(text).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Asks nginx over TLS, believing the certificate that the first start has made.
    func ask(_ path: String, _ json: JSONObject? = nil, bearer: String? = nil, also: [String] = []) throws -> HTTPReply
    {
        var command = ["curl", "--silent", "--show-error", "--max-time", "30", "--noproxy", "*"]
        command += ["--cacert", try certificate(), "--write-out", "\\n%{http_code}"] + also
        if let bearer { command += ["--header", "Authorization: Bearer \(bearer)"] }
        if let json { command += ["--header", "Content-Type: application/json", "--data", json.description] }
        return HTTPReply(try Shell.run(command + ["https://localhost:\(httpsPort)\(path)"]))
    }

    /// The body of a login, as the fake Apple gives it.
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

    /// Somebody new, by the development login.
    func login(_ email: String) throws -> JSONObject {
        try ask("/api/auth/dev-login", ["email": .string(email), "devSecret": .string(secret("dev_login_secret"))]).json
    }
}
