import Foundation
import JSON
import TestSupport

/// The fake Apple as a separate process that can be killed and restarted.
final class FakeAppleProcess: @unchecked Sendable {
    private let folder: TemporaryFolder
    private let port: UInt16
    private var process: ChildProcess

    init() throws {
        folder = try TemporaryFolder()
        port = try FreePort.any()
        try SharedRSAKeys.write(intoFolder: folder.file("apple"))
        process = try Self.start(folder, port)
        try waitUntilListening()
    }

    private static func start(_ folder: TemporaryFolder, _ port: UInt16) throws -> ChildProcess {
        try ChildProcess(
            [
                Executable.standIn, "serve", "--port", "\(port)", "--keys", folder.file("apple"), "--key-id",
                "KEY1234567", "--team-id", "TEAM123456",
            ],
            environment: ["APPLE_BUNDLE_ID": FakeAppleIssuer.bundleID], log: folder.file("log"))
    }

    func configure(_ variables: inout [String: String]) {
        variables["APPLE_JWKS_URL"] = url("/auth/keys")
        variables["APPLE_TOKEN_URL"] = url("/auth/token")
        variables["APPLE_REVOKE_URL"] = url("/auth/revoke")
        variables["APPLE_TEAM_ID"] = "TEAM123456"
        variables["APPLE_KEY_ID"] = "KEY1234567"
        variables["APPLE_PRIVATE_KEY_FILE"] = folder.file("apple/AuthKey_KEY1234567.p8")
        variables["DATA_KEY"] = AppleDeveloperFixture.dataKey
    }

    func login(_ subject: String) throws -> JSONObject { try ask("/mint", ["sub": .string(subject)]) }

    func injectFault(_ fault: JSONObject) throws { _ = try ask("/faults", fault) }

    /// The users that Apple lists as authorised for the app.
    func authorisations() throws -> [String] {
        try ask("/authorisations")["authorisations"]?.array?.compactMap { $0.object?["sub"]?.string } ?? []
    }

    /// The paths of the requests so far.
    func requests() throws -> [String] {
        try ask("/requests")["requests"]?.array?.compactMap { $0.object?["path"]?.string } ?? []
    }

    func kill() throws {
        process.signal(SIGKILL)
        _ = process.wait()
    }

    func restart() throws {
        process = try Self.start(folder, port)
        try waitUntilListening()
    }

    private func waitUntilListening() throws {
        guard Eventually.holds({ (try? ask("/requests")) != nil }) else {
            throw Spawn.Failure(description: "the fake Apple does not answer: \(process.log)")
        }
    }

    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    private func ask(_ path: String, _ body: JSONObject? = nil) throws -> JSONObject {
        let data = body.map { ["--data", String(decoding: $0.bytes, as: UTF8.self)] } ?? []
        let output = try Shell.run(["curl", "--silent", "--fail", "--max-time", "10", url(path)] + data)
        return try JSONValue(parsing: output).object ?? [:]
    }
}
