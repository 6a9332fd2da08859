import Foundation
import TestSupport
import Testing

@Suite(
    "The compose file", .needs(.docker),
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/docker-compose"), "there is no docker-compose"))
struct ComposeFileTests {
    @Test("docker-compose accepts the file from the checkout and from its own folder", arguments: [".", "deploy"])
    func isValid(_ folder: String) throws {
        let file = folder == "." ? "deploy/docker-compose.yml" : "docker-compose.yml"
        let command = "cd \"$1\" && /usr/bin/docker-compose --file \"$2\" config --services"
        let outcome = try Shell.outcome(of: ["sh", "-c", command, "sh", Executable.root + "/" + folder, file])
        #expect(outcome.status == 0)
        #expect(outcome.errorOutput == "")
        // Version 1 lists the services of all profiles.
        let services = (ComposeFixture.services + ["console", "postgres"]).sorted()
        #expect(outcome.text.split(separator: "\n").map(String.init).sorted() == services)
    }
}
