import FileSystem
import Foundation
import GatehouseServer
import TestSupport
import Testing

@testable import GatehouseCommand

@Suite("The settings as the unit of the server reads them")
struct UnitSettingsTests {
    @Test("A unit like the server's has all of its service and its drop-ins, and runs nothing but the check")
    func unit() {
        let server = """
            # /lib/systemd/system/gatehouse.service
            [Unit]
            OnFailure=gatehouse-failed@%n.service
            [Service]
            ExecStart=/usr/bin/gatehouse serve
            ExecReload=/usr/bin/gatehouse reload $MAINPID
            User=gatehouse
            LoadCredential=data_key:/etc/gatehouse/credentials/data_key
            [Install]
            WantedBy=multi-user.target

            # /etc/systemd/system/gatehouse.service.d/own.conf
            [Service]
            Environment=WORKERS=7
            """
        let lines = UnitSettings.unit(like: server, writingTo: "/run/x").split(separator: "\n").map(String.init)
        for line in [
            "User=gatehouse", "LoadCredential=data_key:/etc/gatehouse/credentials/data_key", "Environment=WORKERS=7",
        ] {
            #expect(lines.contains(line))
        }
        for name in ["OnFailure", "WantedBy"] { #expect(!lines.contains { $0.hasPrefix(name) }) }
        for name in ["ExecStart", "ExecReload", "ExecStopPost"] {
            // An empty value removes those before it.
            let last = lines.lastIndex(of: name + "=") ?? -1
            let commands = lines[(last + 1)...].filter { $0.hasPrefix(name + "=") }
            #expect(
                last > 0
                    && commands == (name == "ExecStart" ? ["ExecStart=/usr/bin/gatehouse check --settings --json"] : [])
            )
        }
    }

    @Test(
        "A fault comes with the file to correct, and a file that the user may not read with the command that opens it")
    func files() throws {
        let tool = try Tool()
        let folder = tool.folder.file("receivers")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let file = folder + "/billing.conf"
        try "URL=https://billing.example.com/\nSECRET=short\nTYPES=x\n".write(
            toFile: file, atomically: true, encoding: .utf8)
        let settings = tool.settings(["RECEIVERS_DIR": folder, "PATH": "/usr/bin:/bin"])
        let wrong = try tool.run(["check", "--settings"], settings)
        #expect(
            wrong.status == 2 && wrong.text.components(separatedBy: "→ change it in \(file)").count == 3,
            "\(wrong.text)")
        guard getuid() == 0 else { return }
        chmod(tool.folder.path, 0o755)
        chmod(file, 0o600)
        let secret = try tool.file("secret", "whsec_x")
        chmod(secret, 0o600)
        let closed = try Shell.outcome(
            of: OwnerFixture.asUser([Executable.gatehouse, "check", "--settings"]),
            environment: settings.merging(["SMS_URL": "https://sms.example.com", "SMS_SECRET_FILE": secret]) { $1 })
        for path in [file, secret] {
            #expect(
                closed.text.contains(try Regex("→ chgrp [0-9a-z]+ \(path) && chmod 640 \(path)")),
                "\(closed.everything)")
        }
    }
}
