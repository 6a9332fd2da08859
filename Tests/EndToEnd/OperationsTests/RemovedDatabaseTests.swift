import Foundation
import JSON
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite(
    "A database that is removed while the server has it open", .enabled(if: !TestDatabase.isOnServer, "about a file"))
struct RemovedDatabaseTests {
    /// The commands of Backups.md for the server of a test. What they need of a machine with the package is replaced.
    private static func saving(_ server: ServerProcess) throws -> String {
        let page = DocumentationPage(path: "Sources/Server/Gatehouse/Gatehouse.docc/Backups.md")
        let block = try #require(page.blocks.first { $0.section == "A database that was removed" })
        let commands = block.text.replacingOccurrences(of: "/var/lib/gatehouse", with: server.folder.path)
            .replacingOccurrences(of: "gatehouse.db", with: "g.db")
        return """
            systemctl() {
                case $1 in
                    show) echo \(server.process.identifier) ;;
                    stop) kill -TERM $process; while kill -0 $process 2>/dev/null; do sleep 0.05; done ;;
                esac
            }
            runuser() { shift 3; "$@"; }
            gatehouse() { :; }
            \(commands)
            """
    }

    @Test(
        "An open database file that is removed or replaced is not ready, and the server goes on",
        arguments: [("", false), ("", true), ("-wal", true), ("-shm", false)])
    func notReady(suffix: String, isReplaced: Bool) throws {
        let server = try ServerProcess()
        func readiness() throws -> TestResponse { try server.send(.get("/readyz")) }
        #expect(Eventually.holds { (try? readiness().status) == 200 })
        let file = server.database + suffix
        let copy = file + ".copy"
        if isReplaced {
            try FileManager.default.copyItem(atPath: file, toPath: copy)
            #expect(rename(copy, file) == 0)
        } else {
            try FileManager.default.removeItem(atPath: file)
        }
        // A result of the probe is kept for a second.
        #expect(Eventually.holds { (try? readiness().status) == 503 })
        let parts = try readiness()["parts"]?.array?.compactMap(\.object) ?? []
        let fault = parts.filter { $0["ready"] == false }
        #expect(fault.map { $0["name"]?.string } == ["store_file"])
        #expect(fault.first?["detail"]?.string?.contains("Before you stop the server, run gatehouse check") == true)
        #expect(Eventually.holds { server.process.log.contains("\(file) was removed or replaced") })
        // The watchdog must not end the process, and the file with it.
        #expect(try server.send(.get("/healthz")).status == 200)
    }

    @Test("What was written last is in the database that is copied from the server's open files")
    func saved() throws {
        let server = try ServerProcess()
        let first = try server.devLogin("first@example.com")
        for suffix in ["", "-wal", "-shm"] {
            try FileManager.default.removeItem(atPath: server.database + suffix)
        }
        let second = try server.refresh(first.refreshToken)
        #expect(second.status == 200)
        let last = try server.devLogin("last@example.com")
        try #require(last.status == 200)
        let outcome = try Shell.outcome(
            of: ["/bin/bash", "-euc", Self.saving(server)], environment: ["PATH": "/usr/bin:/bin"])
        #expect(outcome.status == 0, "\(outcome.errorOutput)")
        #expect(server.process.wait() == 0)
        try server.restart()
        for login in [second, last] {
            #expect(try server.refresh(login.refreshToken).status == 200)
        }
    }
}
