import Foundation
import TestSupport
import Testing

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
        let page = DocumentationPage(path: "Sources/Server/Gatehouse/Gatehouse.docc/Architecture.md")
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

    @Test("The README lists every folder of sources, and the other folders of the top level")
    func folders() throws {
        let readme = try DocumentationPage(path: "README.md").lines.joined(separator: "\n")
        let sources = try FileManager.default.contentsOfDirectory(atPath: Executable.root + "/Sources")
        let top = ["Tests", "nginx", "systemd", "deploy"]
        for folder in sources.map({ "Sources/\($0)" }) + top { #expect(readme.contains("`\(folder)`"), "\(folder)") }
    }

    @Test("Every path that CONTRIBUTING names exists; a name in capitals matches any name")
    func contributing() throws {
        let page = try DocumentationPage(path: ".github/CONTRIBUTING.md").lines.joined(separator: "\n")
        let paths = page.matches(of: /`((?:Sources|Tests|deploy|nginx|systemd)\/[^`\s]*)/).map { $0.output.1 }
        #expect(paths.count > 20)
        for path in paths {
            let named = path.split(separator: "/").prefix { $0.firstMatch(of: /[A-Z]{4}/) == nil }
            let file = Executable.root + "/" + named.joined(separator: "/")
            #expect(FileManager.default.fileExists(atPath: file), "\(path)")
        }
    }
}
