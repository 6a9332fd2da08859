import Foundation
import TestSupport
import Testing

@Suite("HTTP/2 in the configuration of nginx")
struct HTTP2DirectiveTests {
    @Test(
        "It is switched on in the one way that this version of nginx knows without a warning",
        arguments: [("1.22.1", false), ("1.25.0", false), ("1.25.1", true), ("1.30.0", true)])
    func version(version: String, hasDirective: Bool) throws {
        let folder = try TemporaryFolder()
        let nginx = folder.file("nginx")
        try "#!/bin/sh\necho 'nginx version: nginx/\(version)' >&2\n".write(
            toFile: nginx, atomically: true, encoding: .utf8)
        chmod(nginx, 0o755)
        try Shell.run([
            "/usr/bin/env", "PATH=\(folder.path):/usr/bin:/bin", Executable.root + "/deploy/lib/render-nginx",
            folder.file("rendered"), Executable.root + "/nginx/local.values", "RESPONDER=unix:/nowhere.sock",
        ])
        let site = try String(contentsOfFile: folder.file("rendered/sites-enabled/gatehouse.conf"), encoding: .utf8)
        #expect(site.contains(" http2 on;") == hasDirective)
        #expect(site.contains(" ssl http2;") == !hasDirective)
    }
}
