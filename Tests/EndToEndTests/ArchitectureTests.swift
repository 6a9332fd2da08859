import Foundation
import TestSupport
import Testing

/// What the compiler is not asked: that unsafe code stays where C is, and that the server needs no Foundation.
@Suite("The architecture")
struct ArchitectureTests {
    private static let wrappers: Set<String> = ["POSIX", "FastCGI", "OpenSSL", "SQLite", "Curl"]

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

    @Test("unsafe code stands only in the targets that own C handles")
    func unsafeCode() throws {
        for source in try sources() where !Self.wrappers.contains(source.target) {
            let words = source.text.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "@" }
            #expect(!words.contains("unsafe"), "\(source.file)")
            #expect(!words.contains { $0.hasPrefix("Unsafe") && $0 != "UnsafeContinuation" }, "\(source.file)")
        }
    }

    @Test("a C library is imported by the target that wraps it, and by no other")
    func cImports() throws {
        for source in try sources() {
            for line in source.text.split(separator: "\n") where line.contains("import C") {
                guard let module = line.split(separator: " ").last, module != "Curl" else { continue }
                let owner = ["CLinux", "CVersion"].contains(module) ? "POSIX" : module.dropFirst()
                #expect(source.target == owner, "\(source.file): \(line)")
            }
        }
    }

    @Test("no source imports Foundation")
    func noFoundation() throws {
        for source in try sources() { #expect(!source.text.contains("import Foundation"), "\(source.file)") }
    }
}
