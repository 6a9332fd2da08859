import Foundation
import Gatehouse
import GatehouseServer
import IdentityProviders
import TestSupport
import Testing

@Suite("The folder of providers")
struct ProvidersFolderTests {
    @Test("the providers have the names of their files, and are sorted by them")
    func names() throws {
        let fixture = try FolderFixture([
            "wechat.conf": FolderFixture.weChat, "google.conf": FolderFixture.google,
            "a_2\(String(repeating: "b", count: 29)).conf": FolderFixture.openID, "qq.conf": FolderFixture.qq,
        ])
        let providers = try fixture.configuration().providers
        #expect(
            providers.map(\.name.rawValue) == ["A_2" + String(repeating: "B", count: 29), "GOOGLE", "QQ", "WECHAT"])
        #expect(providers.map(\.kind) == ["openid", "google", "qq", "wechat"])
        #expect(try fixture.configuration().warnings.isEmpty)
    }

    @Test("the folder is beside the configuration file, or the one that PROVIDERS_DIR names")
    func place() throws {
        let fixture = try FolderFixture(["google.conf": FolderFixture.google])
        try FileManager.default.createDirectory(
            atPath: fixture.folder.file("logins"), withIntermediateDirectories: true)
        try fixture.write("KIND=nothing", to: "logins/other.conf")
        #expect(try fixture.configuration().providers.count == 1)
        for path in [fixture.folder.file("logins"), fixture.folder.file("logins/")] {
            let fault = "logins/other.conf: KIND must be one of google, openid, wechat, qq"
            #expect(fixture.faults(["PROVIDERS_DIR": path]) == [fault])
        }
        try fixture.write("PROVIDERS_DIR=\(fixture.folder.file("logins"))\n", to: "gatehouse.conf")
        #expect(fixture.faults().count == 1)
    }

    @Test("the folder and the configuration file may be missing, but not a folder that PROVIDERS_DIR names")
    func missing() throws {
        #expect(try TestConfiguration.read().providers.isEmpty)
        let fixture = try FolderFixture()
        try FileManager.default.removeItem(atPath: fixture.folder.file("providers.d"))
        #expect(try fixture.configuration().providers.isEmpty)
        #expect(
            fixture.faults(["PROVIDERS_DIR": fixture.folder.file("providers.d")]) == [
                "PROVIDERS_DIR names a folder that cannot be read: No such file or directory"
            ])
        try fixture.write("", to: "providers.d")
        #expect(fixture.faults() == ["FOLDER/providers.d cannot be read: Not a directory"])
    }

    @Test("hidden files are ignored, and other files without the ending .conf with a warning")
    func otherFiles() throws {
        let fixture = try FolderFixture([
            ".google.conf": "X", ".#google.conf": "X", "google.conf~": "X", "google.conf.dpkg-old": "X", "README": "X",
        ])
        let configuration = try fixture.configuration()
        #expect(configuration.providers.isEmpty)
        let ending = "is ignored: the name of a provider's file ends in .conf"
        #expect(
            configuration.warnings
                == ["README", "google.conf.dpkg-old", "google.conf~"].map { "providers.d/\($0) \(ending)" })
    }

    @Test(
        "a bad name is a fault, also of a file without other faults",
        arguments: [
            "Google", "9google", "_google", "goo-gle", "goo gle", "goo.gle", "göogle", "",
            String(repeating: "a", count: 33),
        ])
    func badNames(name: String) throws {
        // A name that is empty makes the file a hidden one.
        guard !name.isEmpty else { return #expect(try FolderFixture([".conf": "X"]).faults().isEmpty) }
        let faults = try FolderFixture.faults(of: FolderFixture.google, named: name + ".conf")
        #expect(
            faults == [
                "providers.d/\(name).conf must be named with up to 32 of a to z, 0 to 9 and _, the first one a letter, "
                    + "before .conf"
            ])
    }

    @Test("a control character in the name of a file is not in a message")
    func controlCharacters() throws {
        let faults = try FolderFixture.faults(of: FolderFixture.google, named: "a\nb\u{1B}.conf")
        #expect(faults.first?.hasPrefix("providers.d/a?b?.conf must be named") == true, "\(faults)")
    }

    @Test("the names of other logins are reserved", arguments: ["apple", "dev", "phone", "email", "passkey", "number"])
    func reservedNames(name: String) throws {
        let faults = try FolderFixture.faults(of: FolderFixture.google, named: name + ".conf")
        #expect(faults == ["providers.d/\(name).conf has the name of a login that has no file: choose another name"])
    }

    @Test("a file that cannot be read is a fault, and its settings are not missing")
    func unreadable() throws {
        let fixture = try FolderFixture(["large.conf": String(repeating: "#", count: 70_000)])
        let file = { (name: String) in fixture.folder.file("providers.d/" + name) }
        try Data([0xC3, 0x28]).write(to: URL(fileURLWithPath: file("binary.conf")))
        try FileManager.default.createDirectory(atPath: file("folder.conf"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: file("link.conf"), withDestinationPath: file("nothing"))
        #expect(mkfifo(file("pipe.conf"), 0o600) == 0)
        #expect(
            fixture.faults() == [
                "providers.d/binary.conf is not UTF-8 text", "providers.d/folder.conf is not a regular file",
                "providers.d/large.conf cannot be read: File too large",
                "providers.d/link.conf cannot be read: No such file or directory",
                "providers.d/pipe.conf is not a regular file",
            ])
    }

    @Test("two providers that accept the same logins are a warning")
    func shared() throws {
        let fixture = try FolderFixture([
            "a.conf": FolderFixture.openID + "AUTHORIZED_PARTIES=x", "b.conf": FolderFixture.openID,
            "c.conf": "KIND=openid\nISSUER=https://login.example.com/\nAUDIENCE=other",
            "d.conf": "KIND=openid\nISSUER=https://other.example.com/\nAUDIENCE=app",
            "e.conf": FolderFixture.google, "f.conf": FolderFixture.weChat, "g.conf": FolderFixture.weChat,
            "h.conf": "KIND=qq\nAPP_ID=wx1\nAPP_KEY=X", "i.conf": "KIND=google\nAUDIENCE=x,app",
        ])
        let warnings = try fixture.configuration().warnings
        #expect(
            warnings.map { $0.components(separatedBy: ":")[0] } == [
                "providers.d/a.conf and providers.d/b.conf have the same ISSUER and AUDIENCE",
                "providers.d/f.conf and providers.d/g.conf have the same APP_ID",
                "providers.d/e.conf and providers.d/i.conf have the same ISSUER and AUDIENCE",
            ])
        #expect(try fixture.configuration().providers.count == 9)
    }
}
