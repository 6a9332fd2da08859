import Foundation
import TestSupport
import Testing

/// Rules that the compiler does not check.
@Suite("Architecture")
struct ArchitectureTests {
    /// The targets that own the handles of a C library. Only they may import it and contain unsafe code.
    private static let owners: [Substring: Set<String>] = [
        "CCurl": ["Curl"], "CFastCGI": ["FastCGI"],
        "CLinux": ["FileSystem", "POSIX", "Processes", "Sockets", "Threading"], "COpenSSL": ["OpenSSL"],
        "CPostgreSQL": ["PostgreSQL"], "CSQLite": ["SQLite"], "CVersion": ["POSIX"],
    ]

    private func sources() throws -> [(target: String, file: String, text: String)] {
        let root = Executable.root + "/Sources"
        let files = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        let swift = files.filter { $0.hasSuffix(".swift") }
        #expect(swift.count > 100)
        return try swift.map { file in
            let text = try String(contentsOfFile: root + "/" + file, encoding: .utf8)
            return (String(file.split(separator: "/")[0]), file, text)
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
}
