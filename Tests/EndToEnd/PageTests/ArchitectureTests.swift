import Foundation
import TestSupport
import Testing

@testable import ServerSupport

/// Rules that the compiler does not check.
@Suite("Architecture")
struct ArchitectureTests {
    /// The targets that own the handles of a C library. Only they may import it and contain unsafe code.
    private static let owners: [Substring: Set<String>] = [
        "CCurl": ["Curl"], "CFastCGI": ["FastCGI"],
        "CLinux": ["FileSystem", "POSIX", "Processes", "Sockets"], "COpenSSL": ["OpenSSL"],
        "CPostgreSQL": ["PostgreSQL"], "CSQLite": ["SQLite"], "CVersion": ["POSIX"],
    ]

    private func sources() throws -> [(target: String, file: String, text: String)] {
        let root = Executable.root + "/Sources"
        let files = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        let swift = files.filter { $0.hasSuffix(".swift") }
        #expect(swift.count > 100)
        return try swift.map { file in
            let text = try String(contentsOfFile: root + "/" + file, encoding: .utf8)
            return (String(file.split(separator: "/")[1]), file, text)
        }
    }

    @Test("Only the targets that own C handles contain unsafe code")
    func unsafeCode() throws {
        let owners = Set(Self.owners.values.joined())
        for source in try sources() where !owners.contains(source.target) {
            let words = source.text.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "@" }
            #expect(!words.contains("unsafe"), "\(source.file)")
            #expect(!words.contains { $0.hasPrefix("Unsafe") }, "\(source.file)")
        }
    }

    @Test("Only its owner imports a C library")
    func cImports() throws {
        for source in try sources() {
            for line in source.text.matches(of: /(?m)^.*\bimport (C[A-Z]\w*)/) {
                let owners = Self.owners[line.output.1]
                #expect(owners?.contains(source.target) == true, "\(source.file): \(line.output.0)")
            }
        }
    }

    @Test("Only the library for apps and its example import Foundation")
    func noFoundation() throws {
        for source in try sources() where !["GatehouseClient", "GatehouseExample"].contains(source.target) {
            #expect(!source.text.contains("import Foundation"), "\(source.file)")
        }
    }

    @Test("Architecture lists every target, in its folder, and no other one")
    func targets() throws {
        let page = DocumentationPage(path: Self.pages + "Architecture.md")
        var listed: [String: Set<String>] = [:]
        var folder = ""
        for line in try page.lines {
            if let head = line.firstMatch(of: /^\| in `(Sources\/\w+)`/) { folder = String(head.output.1) }
            guard let names = line.firstMatch(of: /^\| (`[^|]*`) \|/), !line.hasPrefix("| in") else { continue }
            for name in names.output.1.matches(of: /`(\w+)`/) {
                listed[folder, default: []].insert(String(name.output.1))
            }
        }
        var present: [String: Set<String>] = [:]
        folder = ""
        let package = try String(contentsOfFile: Executable.root + "/Package.swift", encoding: .utf8)
        for line in package.split(separator: "\n") {
            if let start = line.firstMatch(of: /"((?:Sources|Tests)\/\w+)",$/) { folder = String(start.output.1) }
            guard folder.hasPrefix("Sources/"), let target = line.firstMatch(of: /name: "(\w+)"/) else { continue }
            present[folder, default: []].insert(String(target.output.1))
        }
        #expect(present.count == 5)
        #expect(listed == present)
    }

    /// Suites that ask the store for a user at most, or are always on one database.
    private static let onSQLiteAlone: Set = [
        "AppleKeyCache", "AppleKeyRotation", "AppleKeyServerFault", "AppleRefusal", "CrossOrigin", "DPoPGuard",
        "DPoPNonce",
        "KeySet", "LocalUser", "NumberKind", "OAuthLibrary", "RevocationUnderLoad", "ServerMetadata", "ServiceRouting",
        "ServiceTokenReload", "StandardWebhooks", "SuspendedNode", "ThirdPartyVerifier", "WrongClockProcess",
    ]

    @Test("Every suite of sign-ins and sessions runs on both databases, but for those that are named here")
    func bothDatabases() throws {
        let script = try String(contentsOfFile: Executable.root + "/deploy/test", encoding: .utf8)
        let lists = script.matches(of: /(?m)^(?:with_store|of_operators)\+?='(.+)'$/).map { $0.output.1 }
        let listed = Set(lists.joined(separator: "|").split(separator: "|").map(String.init))
        func suites(below folder: String) throws -> Set<String> {
            let pattern = "^(struct|final class|actor|enum) [A-Za-z]+Tests\\b"
            let found = try Shell.run([
                "grep", "-rhoE", pattern, "--include=*Tests.swift", Executable.root + "/" + folder,
            ])
            let names: [String] = String(decoding: found, as: UTF8.self).split(separator: "\n").map { line in
                String(line.split(separator: " ").last?.dropLast("Tests".count) ?? "")
            }
            return Set(names)
        }
        let loginsAndSessions = try ["SignInTests", "SessionTests"].map { try suites(below: "Tests/EndToEnd/" + $0) }
        #expect(loginsAndSessions.joined().filter { !listed.contains($0) && !Self.onSQLiteAlone.contains($0) } == [])
        #expect(listed.subtracting(try suites(below: "Tests")) == [], "a name without a suite runs nothing")
    }

    @Test("The README lists every folder of sources, and the other folders of the top level")
    func folders() throws {
        let readme = try DocumentationPage(path: "README.md").lines.joined(separator: "\n")
        let sources = try FileManager.default.contentsOfDirectory(atPath: Executable.root + "/Sources")
        let top = ["Tests", "nginx", "systemd", "deploy"]
        for folder in sources.map({ "Sources/\($0)" }) + top { #expect(readme.contains("`\(folder)`"), "\(folder)") }
    }

    /// The files and folders that the pages may name.
    private static let files = ["Package.swift"] + ["Sources", "Tests", "deploy", "nginx", "systemd"].flatMap(paths)

    private static func paths(in folder: String) -> [String] {
        let paths = FileManager.default.enumerator(atPath: Executable.root + "/" + folder)
        return paths?.compactMap { $0 as? String }.map { "\(folder)/\($0)" } ?? []
    }

    @Test(
        "Every file that a page for contributors names is there; a name in capitals matches any name",
        arguments: [".github/CONTRIBUTING.md", pages + "Architecture.md", pages + "Retries.md"])
    func namedFiles(page: String) throws {
        let text = try DocumentationPage(path: page).lines.joined(separator: "\n")
        let named = text.matches(
            of: /`((?:Sources|Tests|deploy|nginx|systemd)\/[^`\s]*|[^`\s]+\.(?:swift|conf|json))`/)
        #expect(named.count > 20)
        for path in named.map({ $0.output.1 }) {
            let parts = path.split(separator: "/").prefix { $0.firstMatch(of: /[A-Z]{4}/) == nil }
            let known = parts.joined(separator: "/")
            #expect(parts.isEmpty || Self.files.contains { $0 == known || $0.hasSuffix("/" + known) }, "\(path)")
        }
    }

    @Test("Each source of a retry or a time limit is in the file that the page names, and has the page's value")
    func limits() throws {
        var count = 0
        for line in try DocumentationPage(path: Self.pages + "Retries.md").lines {
            for source in line.matches(of: /`([^`\s]+)`: `([^`]+)`/) {
                let (file, name) = (source.output.1, source.output.2)
                let paths = Self.files.filter { $0.hasSuffix("/" + file) || $0 == file }
                #expect(paths.count == 1, "\(file)")
                let text = try String(contentsOfFile: Executable.root + "/" + (paths.first ?? ""), encoding: .utf8)
                #expect(text.contains(name), "\(file): \(name)")
                for value in values(of: name, in: text) {
                    #expect(line.contains(value), "\(file): \(name) is \(value)")
                    count += 1
                }
            }
        }
        #expect(count > 15)
    }

    /// The durations in the declaration of a constant, as the page writes them.
    private func values(of name: Substring, in text: String) -> [String] {
        let declaration = text.split(separator: "\n").first { line in
            line.contains("let \(name)") || line.contains("var \(name)")
        }
        guard let value = declaration?.split(separator: " = ").dropFirst().first else { return [] }
        return value.matches(of: /(milli)?seconds\((\d+)\)/).map { match in
            let number = Double(match.output.2) ?? 0
            let seconds = match.output.1 == nil ? number : number / 1000
            return seconds < 3600 ? String(format: "%g s", seconds) : String(format: "%g h", seconds / 3600)
        }
    }

    private static let pages = "Sources/Server/Gatehouse/Gatehouse.docc/"
}
