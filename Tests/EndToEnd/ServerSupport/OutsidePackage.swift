import Foundation
import TestSupport
import Testing

/// A package of an app, outside of the checkout, that depends on the product GatehouseClient.
struct OutsidePackage {
    enum Requirement {
        /// The checkout itself.
        case path
        /// A commit of a repository with the checkout's files.
        case revision
        /// The branch of that repository.
        case branch
    }

    /// The commit of the repository.
    let revision: String
    private let folder: TemporaryFolder
    private let options: [String]

    /// - Parameter tools: the app's version of the Swift tools. Before 6, its code is compiled in Swift 5 mode.
    init(_ requirement: Requirement, tools: String) throws {
        folder = try TemporaryFolder()
        options = [
            "--package-path", folder.file("app"), "--scratch-path", folder.file("build"), "--cache-path",
            folder.file("cache"), "--config-path", folder.file("config"), "--security-path", folder.file("security"),
        ]
        revision = requirement == .path ? "" : try Self.makeRepository(at: folder.file("gatehouse"))
        let dependency = try Self.documented(requirement)
            .replacing("https://git.example.com/gatehouse.git", with: "file://" + folder.file("gatehouse"))
            .replacing("../gatehouse", with: Executable.root).replacing(/[0-9a-f]{40}/, with: revision)
        try FileManager.default.createDirectory(
            atPath: folder.file("app/Sources/App"), withIntermediateDirectories: true)
        try write(Self.manifest(dependency, tools), to: "Package.swift")
        try write(Self.app, to: "Sources/App/App.swift")
    }

    /// The line of the page for apps.
    private static func documented(_ requirement: Requirement) throws -> String {
        let page = DocumentationPage(path: "Sources/Server/Gatehouse/Gatehouse.docc/IOSApp.md")
        let lines = try page.blocks(of: "Overview", "").flatMap { $0.split(separator: "\n") }
        return String(try #require(lines.first { $0.contains(" \(requirement): \"") }))
    }

    private func write(_ text: String, to file: String) throws {
        try text.write(toFile: folder.file("app/" + file), atomically: true, encoding: .utf8)
    }

    /// - Returns: its commit.
    private static func makeRepository(at path: String) throws -> String {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        for name in ["Package.swift", "Sources", "Tests"] {
            try FileManager.default.copyItem(atPath: "\(Executable.root)/\(name)", toPath: "\(path)/\(name)")
        }
        let author = ["-c", "user.name=test", "-c", "user.email=test@example.com"]
        for command in [["init", "-qb", "main"], ["add", "-A"], author + ["commit", "-qm", "all"]] {
            try Shell.run(["git", "-C", path] + command)
        }
        let revision = try Shell.run(["git", "-C", path, "rev-parse", "HEAD"])
        return String(decoding: revision, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func manifest(_ dependency: String, _ tools: String) -> String {
        """
        // swift-tools-version: \(tools)
        import PackageDescription

        let package = Package(
            name: "app",
            platforms: [.iOS(.v16), .macOS(.v13)],
            dependencies: [\(dependency)],
            targets: [
                .executableTarget(
                    name: "App", dependencies: [.product(name: "GatehouseClient", package: "gatehouse")])
            ])
        """
    }

    /// Uses the library without a server: the transport loses everything.
    private static let app = """
        import Foundation
        import GatehouseClient
        #if canImport(FoundationNetworking)
            import FoundationNetworking
        #endif

        struct NoNetwork: HTTPTransport {
            func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
                throw URLError(.notConnectedToInternet)
            }
        }

        @main
        struct App {
            static func main() async throws {
                let store = FileSessionStore(file: URL(fileURLWithPath: CommandLine.arguments[1]))
                let client = GatehouseClient(
                    URL(string: "https://api.example.com")!, store: store, transport: NoNetwork())
                guard case .signedOut(nil) = try await client.restore() else { fatalError("not signed out") }
                do {
                    _ = try await client.user()
                } catch .signedOut {
                    print("signed out")
                } catch {
                    throw error
                }
                do {
                    _ = try await client.signIn(apple: AppleLogin(identityToken: "token"))
                } catch {
                    print("offline: \\(error)")
                }
            }
        }

        """

    /// Builds it.
    ///
    /// - Parameter wrapper: a command that runs the build.
    func build(in wrapper: [String] = []) throws -> Shell.Outcome {
        try Shell.outcome(of: wrapper + ["swift", "build"] + options)
    }

    /// What the build has written down about the dependencies.
    func resolved() throws -> String {
        try String(contentsOfFile: folder.file("app/Package.resolved"), encoding: .utf8)
    }

    var program: String { folder.file("build/debug/App") }

    func run() throws -> Shell.Outcome { try Shell.outcome(of: [program, folder.file("session")]) }

    /// The libraries that the program itself names.
    func libraries() throws -> [String] {
        let dynamic = String(decoding: try Shell.run(["readelf", "--dynamic", "--wide", program]), as: UTF8.self)
        return dynamic.matches(of: /\(NEEDED\).*\[(.*)\]/).map { String($0.output.1) }
    }
}
