import Foundation
import JSON
import TestSupport
import Testing

/// One after the other: GPG waits five seconds for its agent, of which each checkout starts its own.
@Suite(
    "The files of a release", .serialized, .needs(.bootedDebian), .enabled(if: Production.canBoot, Production.reason))
struct ReleaseFileTests {
    @Test(
        "Nothing is released that is not what the tag and the page of changes say",
        arguments: [
            ("git tag --delete 9.9.9 >&2", "there is no tag 9.9.9"),
            ("git commit --quiet --allow-empty -m later", "not the commit that is checked out"),
            ("touch left-over", "the checkout has changes"),
            ("git tag --sign -m x 9.9.8; git update-ref refs/tags/9.9.9 9.9.8", "tag with another name"),
            ("\(sign); git update-ref refs/tags/9.9.9 $(\(forged))", "signature of the tag 9.9.9 is not good"),
            ("sed -i s/9.9.9/9.9.8/ Sources/Server/GatehouseServer/Version.swift; \(again)", "has another version"),
            ("sed -i 's/^## 9.9.9,.*/## 9.9.9, not released/' $(find . -name Releases.md); \(again)", "has no entry"),
            ("sed -i 's/^## 9.9.9/## 9.9.99/' $(find . -name Releases.md); \(again)", "has no entry"),
            ("touch deploy/differs; git add .; \(again)", "the two builds differ"),
        ])
    func refusals(change: String, refusal: String) throws {
        let outcome = try ReleasedCheckout().release(after: change)
        #expect(outcome.status == 3 && outcome.text.isEmpty, "\(outcome.text)")
        #expect(outcome.errorOutput.contains(refusal), "\(outcome.errorOutput)")
    }

    private static let again = "git commit --quiet -a -m again; git tag --force 9.9.9 >&2"
    private static let sign = "git tag --sign --force -m x 9.9.9 >&2"
    private static let forged = "git cat-file tag 9.9.9 | sed s/^x$/y/ | git hash-object -t tag -w --stdin"

    @Test("A key that is not there, and a version that is none, are refused before the build")
    func wrongUsage() throws {
        let checkout = try ReleasedCheckout()
        let key = String(repeating: "A", count: 40)
        #expect(try checkout.release(key: key).errorOutput.contains("GPG has no secret key \(key)"))
        // Each may name several keys, or another one.
        for name in ["Tests", "<test@example.com>", "=Tests <test@example.com>", String(key.dropFirst(24)), "0x" + key]
        {
            let outcome = try checkout.release(key: name)
            #expect(outcome.status == 2 && outcome.errorOutput.contains("40 hexadecimal digits"), "\(name)")
        }
        for version in ["1", "1.0", "1.0.0-1", "1.0.0~rc1"] {
            let outcome = try checkout.run("deploy/release \(version) --key \(key)")
            #expect(outcome.status == 2 && outcome.errorOutput.contains("MAJOR.MINOR.PATCH"), "\(version)")
        }
    }

    /// Defines a shell function that makes an empty package in a folder of its own.
    private static let make = """
        make() {
            mkdir -p "$0/added/$1" "$0/$1/DEBIAN"
            printf 'Package: %s\nVersion: %s\nArchitecture: %s\nMaintainer: x <x@example.com>\nDescription: x\n' \
                "$2" "$3" "$4" >"$0/$1/DEBIAN/control"
            dpkg-deb --build "$0/$1" "$0/added/$1/$2_$3_$4.deb" >&2
            sha256sum "$0/added/$1/$2_$3_$4.deb" >"$0/added/$1/$2_$3_$4.cdx.json"
        }

        """
    private static let added = #"$(printf -- '--add %s ' "$0"/added/*/*.deb)"#

    @Test(
        "A package that would replace another one, or that is none of Gatehouse's, is refused before the build",
        arguments: [
            ("make a gatehouse 9.9.9-1 $(dpkg --print-architecture)", "there are two packages gatehouse_9.9.9-1_"),
            ("make a gatehouse 9.9.8-1 arm64; make b gatehouse 9.9.8-1 arm64", "there are two packages"),
            ("make a other 9.9.8-1 arm64", "not named after its content"),
            ("make a gatehouse 9.9.8-1 arm64; mv $0/added/a/*.deb $0/added/a/gatehouse_1-1_all.deb", "not named after"),
            ("make a gatehouse 9.9.8-1 arm64; rm $0/added/a/*.json", "the list of components"),
            ("make a gatehouse 9.9.8-1 arm64; echo x >$(ls $0/added/a/*.json)", "does not have its SHA-256"),
            ("make a gatehouse 9.10.0-1 arm64", "is newer than 9.9.9"),
            ("mkdir -p $0/added/a; echo x >$0/added/a/gatehouse_9.9.8-1_arm64.deb", "not a Debian package"),
        ])
    func refusedPackages(preparation: String, refusal: String) throws {
        let outcome = try ReleasedCheckout().release(after: Self.make + preparation, adding: Self.added)
        #expect(outcome.status == 2 && outcome.text.isEmpty, "\(outcome.text)")
        #expect(outcome.errorOutput.contains(refusal), "\(outcome.errorOutput)")
    }

    @Test("What is released is of the tag, not of the checkout, and nothing beside the files is removed")
    func ofTheTag() throws {
        let checkout = try ReleasedCheckout()
        defer { withExtendedLifetime(checkout) {} }
        let outcome = try checkout.release(
            after: Self.make + """
                \(Self.sign)
                make a gatehouse 9.9.8-1 arm64
                touch deploy/docker/production/ignored.swp
                git update-index --skip-worktree deploy/debian/gatehouse.conf
                echo '# unnoticed' >>deploy/debian/gatehouse.conf
                mkdir -p .build/releases/9.9.9.new && touch .build/releases/9.9.9.new/kept
                """, adding: Self.added)
        #expect(outcome.status == 0 && !outcome.errorOutput.contains("not signed"), "\(outcome.errorOutput)")
        let folder = outcome.text.trimmingCharacters(in: .newlines)
        let files = FileManager.default
        let recipe = try files.contentsOfDirectory(atPath: folder + "/containers").sorted()
        #expect(recipe == ["Dockerfile", "docker-compose.yml", "gatehouse.conf", "nginx.values"])
        let settings = try String(contentsOfFile: folder + "/containers/gatehouse.conf", encoding: .utf8)
        #expect(!settings.contains("unnoticed"))
        #expect(files.fileExists(atPath: folder + "/dists/stable/main/binary-arm64/Packages"))
        let beside = try files.contentsOfDirectory(atPath: (folder as NSString).deletingLastPathComponent).sorted()
        #expect(beside == ["9.9.9", "9.9.9.new"] && files.fileExists(atPath: folder + ".new/kept"))
    }

    /// A copy of the files, which a test may change, in a keyring that has only their key.
    private func verify(after change: String = "true") throws -> Shell.Outcome {
        let folder = try TemporaryFolder()
        let page = DocumentationPage(path: "Sources/Server/Gatehouse/Gatehouse.docc/Packages.md")
        // The second block makes the package again.
        let commands = try page.blocks(of: "Verifying by hand")[0]
        let script = """
            export GNUPGHOME="$0/keys"
            trap 'gpgconf --kill all' EXIT
            mkdir -m 700 "$0/keys" && cp -r "$1" "$0/files" && cd "$0/files"
            gpg --batch --quiet --import gatehouse.asc
            \(change)
            \(commands)
            """
        return try Shell.outcome(of: ["bash", "-euc", script, folder.path, ReleasedCheckout.files.get()])
    }

    @Test("The commands of the page verify every file")
    func verified() throws {
        let outcome = try verify()
        #expect(outcome.status == 0, "\(outcome.errorOutput)")
        let find = #"find "$0" -type f ! -path '*/dists/*' ! -name 'SHA256SUMS*' -printf '%P: OK\n'"#
        let list = try Shell.run(["sh", "-c", find, ReleasedCheckout.files.get()])
        // And no other file, such as the list itself while it was written.
        let named = outcome.text.split(separator: "\n").filter { $0.hasSuffix(": OK") }
        #expect(named.sorted() == String(decoding: list, as: UTF8.self).split(separator: "\n").sorted())
        #expect(try verify(after: "sha256sum --check --quiet SHA256SUMS").status == 0)
    }

    @Test(
        "A file that was changed is found",
        arguments: [
            "echo >>$(ls *.deb | head -n 1)", "echo >>CHANGES.md", "echo >>containers/Dockerfile",
            "sha256sum *.deb >SHA256SUMS", "cp CHANGES.md SHA256SUMS.asc",
        ])
    func changed(change: String) throws {
        #expect(try verify(after: change).status != 0)
    }

    @Test("The list of components names what is linked in, with versions, and every package that apt installs")
    func components() throws {
        let folder = try ReleasedCheckout.files.get()
        let list = try #require(
            FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasSuffix(".cdx.json") })
        let text = try String(contentsOfFile: folder + "/" + list, encoding: .utf8)
        let parts = (try JSONValue(parsing: Array(text.utf8)).object?["components"]?.array ?? []).compactMap(\.object)
        let versions = Dictionary(uniqueKeysWithValues: parts.map { ($0["name"]?.string ?? "", $0["version"]?.string) })
        for name in ["swift", "swift-corelibs-libdispatch", "libphonenumber", "libssl3", "libsqlite3-0", "libc6"] {
            #expect(versions[name].flatMap { $0 }?.first?.isNumber == true, "\(name)")
        }
        let package = folder + "/" + list.replacing(".cdx.json", with: ".deb")
        let depends = String(decoding: try Shell.run(["dpkg-deb", "--field", package, "Depends"]), as: UTF8.self)
        for entry in depends.split(separator: ",") {
            let name = try #require(entry.split(whereSeparator: { " (\n".contains($0) }).first)
            #expect(versions.keys.contains(String(name)), "\(name)")
        }
        let digest = String(decoding: try Shell.run(["sha256sum", package]), as: UTF8.self).prefix(64)
        #expect(text.contains(digest))
    }

    private static let python = Executable.root + "/.build/python/bin/python"

    @Test(
        "The library of CycloneDX accepts the list of components, and its dependencies",
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: python),
            "there is no .build/python/bin/python: deploy/lib/packages test-all makes it"))
    func validated() throws {
        let program = """
            import json, pathlib, sys
            from cyclonedx.model.bom import Bom
            from cyclonedx.schema import SchemaVersion
            from cyclonedx.validation.json import JsonStrictValidator
            for path in pathlib.Path(sys.argv[1]).glob("*.cdx.json"):
                fault = JsonStrictValidator(SchemaVersion.V1_5).validate_str(path.read_text())
                assert fault is None, fault
                bom = Bom.from_json(json.loads(path.read_text()))
                assert bom.validate() and len(bom.components) > 20
            """
        let outcome = try Shell.outcome(of: [Self.python, "-c", program, ReleasedCheckout.files.get()])
        #expect(outcome.status == 0, "\(outcome.errorOutput)")
    }
}
