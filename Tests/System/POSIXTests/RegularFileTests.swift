import FileSystem
import Glibc
import POSIX
import TestSupport
import Testing

@Suite("File.readRegular")
struct RegularFileTests {
    @Test("reads a regular file, also through a link")
    func file() throws {
        let folder = try TemporaryFolder()
        _ = try File.create(folder.file("file"), with: Array("content".utf8))
        #expect(symlink("file", folder.file("link")) == 0)
        for name in ["file", "link"] { #expect(try File.readRegular(folder.file(name)) == Array("content".utf8)) }
        #expect(throws: POSIXError.self) { try File.readRegular(folder.file("file"), atMost: 6) }
    }

    @Test("rejects any other file without blocking", .timeLimit(.minutes(1)))
    func other() throws {
        let folder = try TemporaryFolder()
        #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
        for path in [folder.file("pipe"), folder.path, "/dev/zero", "-", folder.file("nothing")] {
            #expect(throws: POSIXError.self, "\(path)") { try File.readRegular(path) }
        }
    }
}
