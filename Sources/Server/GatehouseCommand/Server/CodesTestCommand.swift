import CommandLineTool
import FileSystem
import Gatehouse
import GatehouseServer
import POSIX

struct CodesTestCommand: Command {
    let words = ["codes", "test"]
    let summary = "Send a test message to a phone number or a mail address."
    let discussion = """
        Hands a message with the code 000000, which opens nothing, to the gateway for SMS or to the mail server of the settings,
        as a login would. Call it as root; gatehouse check --settings shows whether the service can read them. No limit counts it,
        and PHONE_COUNTRIES does not matter. A number is written with + and its calling code.

        Exits 0 if the message was accepted; only its owner sees whether it arrives. Exits 1 if it was not accepted, and 2 if
        the settings or the address are not usable.
        """
    let parameters = ["ADDRESS"]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let address = try Self.address(arguments.positional[0])
        let delivery = try readSettings { () throws(SettingFaults) in try Configuration.delivery(from: .current()) }
        guard let delivery, let sender = delivery.sender(for: address.channel, through: CallGate(limit: 1)) else {
            let setting = address.channel == .phone ? "SMS_URL" : "SMTP_URL"
            throw CommandError(.usage, "\(setting) is not set, so no message is sent to such an address")
        }
        try ServiceUser.replaceRoot()
        let check = DeliveryCheck(channel: address.channel, delivery: delivery, isOffline: false)
        do throws(DeliveryFault) {
            try sender.send(
                OutgoingMessage(to: address, content: .code("000000", lifetime: StoredCode.lifetime)), requestID: nil)
        } catch {
            let finding = check.evaluate(error)
            throw CommandError(.no, "\(check.subject): \(finding.message)", details: [finding.advice].compactMap { $0 })
        }
        StandardStream.output.line("\(check.subject): the message was accepted")
        return .done
    }

    private static func address(_ text: String) throws(CommandError) -> CodeAddress {
        do throws(AddressFault) {
            return text.contains("@")
                ? CodeAddress(.email, try EmailAddress(text).text) : CodeAddress(.phone, try PhoneNumber(text).text)
        } catch {
            throw CommandError(.usage, "ADDRESS must be a mail address, or a phone number such as +8613800138000")
        }
    }
}
