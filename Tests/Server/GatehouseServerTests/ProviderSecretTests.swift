import Foundation
import GatehouseServer
import IdentityProviders
import TestSupport
import Testing

@Suite("Secrets of providers")
struct ProviderSecretTests {
    private static let file = "KIND=wechat\nAPP_ID=wx1\n"

    private func secret(_ configuration: Configuration) -> String? {
        (configuration.providers.first?.details as? WeChatApp)?.secret
    }

    @Test("a secret is in the file that APP_SECRET_FILE names, without line ends")
    func ownFile() throws {
        let fixture = try FolderFixture()
        let path = try fixture.write("Xsecret\n", to: "secret")
        try fixture.write(Self.file + "APP_SECRET_FILE=\(path)\n", to: "providers.d/wechat.conf")
        #expect(try secret(fixture.configuration()) == "Xsecret")
        try fixture.write("\n", to: "secret")
        let place = "providers.d/wechat.conf: APP_SECRET"
        #expect(fixture.faults() == ["\(place) comes from FOLDER/secret, which is empty"])
    }

    @Test("a credential has the names of the provider and of the setting, and yields to the file")
    func credential() throws {
        let fixture = try FolderFixture(["wechat.conf": Self.file])
        let changes = try fixture.credentials(["wechat_app_secret": "Xsecret\n", "app_secret": "Xother"])
        #expect(try secret(fixture.configuration(changes)) == "Xsecret")
        try fixture.write("CREDENTIALS_DIRECTORY=\(fixture.folder.file("credentials"))\n", to: "gatehouse.conf")
        #expect(try secret(fixture.configuration()) == "Xsecret")
        try fixture.write(Self.file + "APP_SECRET=Xown", to: "providers.d/wechat.conf", mode: 0o600)
        #expect(try secret(fixture.configuration(changes)) == "Xown")
    }

    @Test("the secret of a browser's client is a credential of its own")
    func clientSecret() throws {
        let fixture = try FolderFixture(["google.conf": FolderFixture.google + "CLIENT_ID=c"])
        let changes = try fixture.credentials(["google_client_secret": "Xsecret\n"])
        #expect(try fixture.configuration(changes).providers.map(\.web?.secret) == ["Xsecret"])
        #expect(fixture.faults().count == 1)
    }

    @Test("the environment does not set a provider's settings")
    func environment() throws {
        let fixture = try FolderFixture(["wechat.conf": Self.file])
        #expect(fixture.faults(["APP_SECRET": "Xsecret", "WECHAT_APP_SECRET": "Xsecret"]).count == 1)
    }

    @Test("a secret in a file that all users can read is a warning without the secret")
    func openness() throws {
        let fixture = try FolderFixture(["wechat.conf": FolderFixture.weChat])
        #expect(try fixture.configuration().warnings.isEmpty)
        chmod(fixture.folder.file("providers.d/wechat.conf"), 0o644)
        let warnings = try fixture.configuration().warnings
        #expect(warnings.count == 1)
        #expect(warnings.first?.hasPrefix("APP_SECRET is in \(fixture.folder.path)/providers.d/wechat.conf") == true)
        #expect(!warnings.joined().contains("Xsecret"))
        try fixture.write(FolderFixture.google, to: "providers.d/wechat.conf", mode: 0o644)
        #expect(try fixture.configuration().warnings.isEmpty)
    }

    @Test("a check finds the files of settings and of secrets")
    func files() throws {
        let fixture = try FolderFixture(["google.conf": FolderFixture.google, "qq.conf": "KIND=qq\nAPP_ID=1\n"])
        let path = try fixture.write("Xsecret", to: "secret")
        try fixture.write(Self.file + "APP_SECRET_FILE=\(path)", to: "providers.d/wechat.conf")
        let changes = try fixture.credentials(["qq_app_key": "Xsecret"])
        let files = ConfigurationSurvey(of: fixture.source(changes)).providerFiles
        #expect(
            files.settings == ["google", "qq", "wechat"].map { fixture.folder.file("providers.d/\($0).conf") })
        #expect(files.secrets.map(\.path) == [fixture.folder.file("credentials/qq_app_key"), path])
        #expect(
            files.secrets.map(\.name) == [
                "providers.d/qq.conf: APP_KEY", "providers.d/wechat.conf: APP_SECRET",
            ])
    }
}
