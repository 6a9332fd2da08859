import Foundation
import TestSupport
import Testing

@testable import ServerSupport

/// Compiles the code for apps, with declarations of what it uses of Apple's frameworks and other packages.
@Suite("Swift in the documentation", .needs(.time))
struct DocumentedSwiftTests {
    /// What the excerpt in README.md leaves to the app.
    private static let surroundings = [
        "README.md": (
            """
            import AuthenticationServices
            import Foundation
            import GatehouseClient
            @MainActor func signIn(_ request: URLRequest) async throws {

            """, "\n_ = (session, data, response) }"
        )
    ]

    /// On Linux, URLSession is in a module of its own.
    private static func portable(_ source: String) -> String {
        source.replacing(/(?m)^import Foundation$/, with: "import Foundation; import FoundationNetworking")
    }

    @Test("The compiler accepts each page's code as one module in Swift 6, without a warning")
    func compiles() throws {
        let folder = try TemporaryFolder()
        let modules = try StubModules.shared.get()
        let blocks = try DocumentationPage.all.flatMap { try $0.blocks }.filter { $0.language == "swift" }
        #expect(blocks.count > 3)
        for (page, blocks) in Dictionary(grouping: blocks, by: \.page) {
            let files = try blocks.map { block in
                let (before, after) = Self.surroundings[page] ?? ("", "")
                let file = folder.file("\(block.line).swift")
                try Self.portable(before + block.text + after).write(
                    toFile: file, atomically: true, encoding: .utf8)
                return file
            }
            let outcome = try modules.compile(files)
            #expect(outcome.status == 0, "\(page), by the lines of its blocks:\n\(outcome.errorOutput)")
        }
    }

    @Test("The first app is complete: it compiles without the page's other code")
    func firstApp() throws {
        let page = DocumentationPage(path: "Sources/Server/Gatehouse/Gatehouse.docc/IOSApp.md")
        let app = try #require(try page.blocks(of: "Sign in", "swift").first)
        let folder = try TemporaryFolder()
        try Self.portable(app).write(toFile: folder.file("App.swift"), atomically: true, encoding: .utf8)
        let outcome = try StubModules.shared.get().compile([folder.file("App.swift")])
        #expect(outcome.status == 0, "\(outcome.errorOutput)")
    }

    @Test("The login of the fake Apple signs in at a server that demands its own nonce, each time as the same user")
    func fakeApple() throws {
        let apple = try FakeAppleProcess()
        let server = try ServerBehindNginx {
            apple.configure(&$0)
            $0["APPLE_BUNDLE_ID"] = FakeAppleIssuer.bundleID
            $0["APPLE_NONCE"] = "challenge"
        }
        let page = DocumentationPage(path: "Sources/Server/Gatehouse/Gatehouse.docc/DevelopmentServer.md")
        let function = try #require(try page.blocks(of: "Develop without Apple", "swift").first)
        let program = """
            @main struct Program {
                static func main() async throws {
                    let arguments = CommandLine.arguments
                    let client = GatehouseClient(
                        URL(string: arguments[1])!, store: MemorySessionStore(),
                        transport: CurlTransport(certificates: arguments[3]))
                    let session = try await signInWithFakeApple(client, at: URL(string: arguments[2])!)
                    print(session.isNewUser, session.user.nickname ?? "", try await client.user() == session.user)
                }
            }
            """
        let folder = try TemporaryFolder()
        try Self.portable(function + "\n" + program).write(
            toFile: folder.file("Program.swift"), atomically: true, encoding: .utf8)
        for isNewUser in [true, false] {
            let outcome = try StubModules.shared.get().run(
                [folder.file("Program.swift")],
                arguments: ["https://localhost:\(server.port)", apple.url(""), server.certificate])
            #expect(outcome.text == "\(isNewUser) Ann true\n", "\(outcome.errorOutput)")
        }
    }

    @Test("The compiler accepts the Swift that the console shows")
    func console() throws {
        let script = try String(contentsOfFile: Executable.root + "/deploy/console/snippets.js", encoding: .utf8)
        let snippets = script.matches(of: /(?m)^ {2}(\w+): \(\) => `([^`]*)`/)
        #expect(snippets.count > 9)
        let functions = snippets.map { snippet in
            let text = snippet.output.2.replacing("${client()}", with: "")
            let uses = text.matches(of: /(?m)^let (\w+) =/).map { "_ = \($0.output.1)" }
            let parameters = "_ client: GatehouseClient, _ login: AppleLogin"
            return "@MainActor func \(snippet.output.1)(\(parameters)) async throws {\n\(text)\n"
                + uses.joined(separator: "\n") + "\n}"
        }
        let folder = try TemporaryFolder()
        let source = "import AuthenticationServices\nimport GatehouseClient\n" + functions.joined(separator: "\n")
        try source.write(toFile: folder.file("console.swift"), atomically: true, encoding: .utf8)
        let outcome = try StubModules.shared.get().compile([folder.file("console.swift")])
        #expect(outcome.status == 0, "\(outcome.errorOutput)")
    }
}
