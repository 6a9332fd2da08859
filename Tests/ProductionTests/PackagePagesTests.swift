import Foundation
import TestSupport
import Testing

/// Checks the unpacked package without installing it.
@Suite("Documentation in the package", .needs(.bootedDebian), .enabled(if: Production.canBoot, Production.reason))
struct PackagePagesTests {
    private static let unpacked = Result { () throws -> TemporaryFolder in
        let folder = try TemporaryFolder()
        try Shell.run(["dpkg-deb", "-x", DebianPackage.first.get(), folder.path])
        return folder
    }

    private func path(_ installed: String) throws -> String { try Self.unpacked.get().path + installed }

    private func text(_ installed: String) throws -> String {
        try String(contentsOfFile: path(installed), encoding: .utf8)
    }

    private func exists(_ installed: String) throws -> Bool {
        FileManager.default.fileExists(atPath: try path(installed))
    }

    private static let folder = "/usr/share/doc/gatehouse"

    private var pages: [String] {
        get throws {
            try FileManager.default.subpathsOfDirectory(atPath: path(Self.folder)).filter { $0.hasSuffix(".md") }
                .map { "\(Self.folder)/\($0)" }
        }
    }

    /// The anchors of a page's headings in Markdown.
    private func anchors(in page: String) throws -> Set<String> {
        Set(
            try text(page).matches(of: /(?m)^#+ (.*)$/).map { heading in
                heading.output.1.lowercased().filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }
                    .replacing(" ", with: "-")
            })
    }

    @Test("The package has the pages and examples that an operator needs")
    func complete() throws {
        for name in [
            "README.Debian", "README.md", "Operations.md", "nginx.md", "systemd.md", "ThreatModel.md",
            "examples/monitoring/gatehouse.rules.yml", "examples/monitoring/prometheus.yml",
            "examples/monitoring/grafana/gatehouse.json", "examples/replication/litestream.yml",
            "examples/replication/gatehouse-replication.service", "examples/services/README.md",
            "examples/services/sms_receiver.py", "examples/services/comments.py",
        ] { #expect(try exists("\(Self.folder)/\(name)"), "\(name)") }
    }

    @Test("The package has the page for administrators beside the library for pages")
    func adminPage() throws {
        let web = "/usr/share/gatehouse/web"
        #expect(try exists(web + "/gatehouse.js"))
        let names = try FileManager.default.contentsOfDirectory(atPath: Executable.root + "/deploy/web/admin")
        for name in names { #expect(try exists("\(web)/admin/\(name)"), "\(name)") }
    }

    @Test("Links lead to pages and headings in the package")
    func links() throws {
        var count = 0
        for page in try pages {
            for link in try text(page).matches(of: /\]\(([^)#:]*)(?:#([^)]*))?\)/) {
                let target =
                    link.output.1.isEmpty
                    ? page
                    : NSString(string: "\((page as NSString).deletingLastPathComponent)/\(link.output.1)")
                        .standardizingPath
                #expect(try exists(target), "\(page): \(link.output.0)")
                if let anchor = link.output.2 {
                    #expect(try anchors(in: target).contains(String(anchor)), "\(page): \(link.output.0)")
                }
                count += 1
            }
            #expect(try !text(page).contains("<doc:"), "\(page)")
        }
        #expect(count > 60)
    }

    @Test("Files and manual pages that are mentioned exist")
    func references() throws {
        let units = try FileManager.default.subpathsOfDirectory(atPath: path("/lib/systemd/system"))
            .filter { !$0.hasSuffix(".d") }
        let texts = try ["\(Self.folder)/README.Debian"] + pages + units.map { "/lib/systemd/system/\($0)" }
        for name in texts {
            let text = try text(name)
            for file in text.matches(of: /\/usr\/(?:share|lib)\/(?:doc\/)?gatehouse\/[\w.\/-]*[\w\/]/) {
                #expect(try exists(String(file.output)), "\(name): \(file.output)")
            }
            for page in text.matches(of: /\b(gatehouse[a-z.-]*)\(([158])\)/) {
                let (_, title, section) = page.output
                #expect(try exists("/usr/share/man/man\(section)/\(title).\(section).gz"), "\(name): \(page.output.0)")
            }
        }
    }

    @Test("groff accepts the manual pages, which have every setting and exit status")
    func manual() throws {
        for page in [
            "man1/gatehouse.1", "man5/gatehouse.conf.5", "man8/gatehouse-nginx.8", "man8/gatehouse-database-folder.8",
        ] {
            let script = "zcat \"$0\" | groff -Kutf8 -man -Tutf8 -ww -P-cbou"
            let outcome = try Shell.outcome(of: ["/bin/sh", "-c", script, path("/usr/share/man/\(page).gz")])
            #expect(outcome.status == 0 && outcome.errorOutput == "", "\(page): \(outcome.errorOutput)")
            guard page.hasPrefix("man1/") || page.hasPrefix("man5/") else { continue }
            let settings = try String(
                contentsOfFile: Executable.root + "/deploy/debian/gatehouse.conf", encoding: .utf8
            )
            .matches(of: /(?m)^#?([A-Z_]{4,})=/).map { String($0.output.1) }
            #expect(settings.count > 20)
            for setting in settings { #expect(outcome.text.contains(setting), "\(page): \(setting)") }
            guard page.hasPrefix("man1/") else { continue }
            #expect(outcome.text.contains(/EXIT STATUS\n +0 +done/) && outcome.text.contains("\nENVIRONMENT\n"))
        }
    }

    @Test(
        "Commands and options are completed",
        arguments: [
            ("u", "users"), ("keys g", "generate"), ("users sh", "show"), ("users list --st", "--status"),
            ("backup --kee", "--keep"), ("serve --he", "--help"), ("restore x --end", "--end-sessions"),
        ])
    func completion(words: String, expected: String) throws {
        let script = """
            source "$0" && COMP_WORDS=(gatehouse $1) && COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) && _gatehouse
            echo "${COMPREPLY[@]}"
            """
        let file = try path("/usr/share/bash-completion/completions/gatehouse")
        let output = try Shell.run(["/bin/bash", "-c", script, file, words])
        #expect(String(decoding: output, as: UTF8.self).split(separator: "\n").joined().contains(expected))
    }
}
