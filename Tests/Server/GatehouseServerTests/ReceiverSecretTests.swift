import EventDelivery
import Foundation
import GatehouseServer
import StandardWebhooks
import TestSupport
import Testing

@Suite("Secrets of receivers")
struct ReceiverSecretTests {
    private static let file = "URL=https://billing.example.com/\n"
    private static let both = FolderFixture.secret + " " + FolderFixture.secret

    private func fixture(_ text: String = file) throws -> FolderFixture {
        try FolderFixture(["billing.conf": text], in: "receivers.d")
    }

    /// How many secrets the receiver has, which tells two places apart.
    private func count(_ fixture: FolderFixture, _ changes: [String: String?] = [:]) throws -> Int? {
        try fixture.configuration(changes).receivers.first?.secrets.count
    }

    @Test(
        "a credential is a file in the folder receivers, for commands as it is and for the service as systemd names it",
        arguments: ["receivers/billing", "receivers_billing"])
    func credential(name: String) throws {
        let fixture = try fixture()
        let changes = try fixture.credentials([
            name: FolderFixture.secret + "\n", "billing_secret": "X", "receivers/other": "X",
        ])
        #expect(try count(fixture, changes) == 1)
        try fixture.write(Self.file + "SECRET=\(Self.both)", to: "receivers.d/billing.conf", mode: 0o600)
        #expect(try count(fixture, changes) == 2)
    }

    /// systemd makes this file where the folder of secrets is missing, because of its line in the unit.
    @Test("a credential with the name of the folder is no secret of a receiver")
    func placeholder() throws {
        let fixture = try fixture()
        let faults = try fixture.faults(fixture.credentials(["receivers": "\n"]))
        #expect(faults.map { String($0.prefix(48)) } == ["receivers.d/billing.conf: SECRET is required: se"])
    }

    @Test("a secret is in the file that SECRET_FILE names")
    func ownFile() throws {
        let fixture = try fixture()
        let path = try fixture.write(FolderFixture.secret + "\n" + FolderFixture.secret + "\n", to: "secret")
        try fixture.write(Self.file + "SECRET_FILE=\(path)\n", to: "receivers.d/billing.conf")
        #expect(try count(fixture) == 2)
        let files = ConfigurationSurvey(of: fixture.source()).receiverFiles
        #expect(files.settings == [fixture.folder.file("receivers.d/billing.conf")])
        #expect(files.secrets.map(\.path) == [path])
        #expect(files.secrets.map(\.name) == ["receivers.d/billing.conf: SECRET"])
    }

    @Test("a check finds the receivers, whatever faults other settings have")
    func survey() throws {
        let fixture = try fixture(FolderFixture.receiver)
        let survey = ConfigurationSurvey(of: fixture.source(["WORKERS": "many", "SMS_SECRET": "X"]))
        #expect(survey.receivers?.map(\.name) == ["billing"] && survey.faults.count == 2)
        try fixture.write("URL=https://a", to: "receivers.d/other.conf")
        #expect(ConfigurationSurvey(of: fixture.source()).receivers == nil)
    }

    @Test("the folder is beside the configuration file, or the one that RECEIVERS_DIR names")
    func place() throws {
        let fixture = try fixture(FolderFixture.receiver)
        #expect(
            fixture.faults(["RECEIVERS_DIR": fixture.folder.file("nowhere")]) == [
                "RECEIVERS_DIR names a folder that cannot be read: No such file or directory"
            ])
        try FileManager.default.removeItem(atPath: fixture.folder.file("receivers.d"))
        #expect(try fixture.configuration().receivers.isEmpty)
    }
}
