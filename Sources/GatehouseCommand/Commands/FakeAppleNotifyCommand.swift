import FakeApple
import Gatehouse
import JSON
import POSIX

struct FakeAppleNotifyCommand: Command {
    let words = ["fake-apple", "notify"]
    let summary = "Make a notification of Apple's servers, and post it."
    let discussion = """
        TYPE is email-disabled, email-enabled, consent-revoked, account-delete, account-deleted or any other word.
        Prints {"payload": …} as Apple's servers post it; with --to it is posted, and the answer printed, with exit
        status 0 for a status of 2xx and 1 for any other.
        """
    let arguments = ["TYPE"]
    let options =
        FakeAppleFolder.options + [
            Option(name: "--sub", value: "SUBJECT", help: "the person", isRequired: true),
            Option(name: "--aud", value: "ID", help: "the app; the first APPLE_BUNDLE_ID where left out"),
            Option(name: "--to", value: "URL", help: "where to post it: https, or http of this machine"),
            Option(name: "--ca", value: "FILE", help: "certificates to believe in place of the system's"),
            Option(name: "--email", value: "ADDRESS", help: "instead of a private relay address"),
            Option(name: "--shape", value: "SHAPE", help: "events as object, string or array (string)"),
            Option(name: "--time", value: "UNIT", help: "event_time in s or ms (ms)"),
            Option(name: "--jti", value: "ID", help: "the notification's own id; another one where left out"),
            Option(
                name: "--claim", value: "NAME=JSON", help: "any other claim, null takes one away; may be given again"),
            Option(name: "--header", value: "NAME=JSON", help: "the same for the header; may be given again"),
            Option(name: "--at", value: "UNIXTIME", help: "as of this moment instead of now"),
        ]

    func run(_ input: Input) throws(CommandFault) -> ExitStatus {
        try FakeAppleFolder.refuseProduction()
        let order = try order(input)
        let notification = try FakeAppleFolder.mint(input).notification(order, now: try Moment.read(input).seconds)
        guard let address = order.address else {
            StandardStream.output.line(notification.description)
            return .done
        }
        do throws(Courier.Failure) {
            let answer = try Courier(authorities: input.value("--ca")).deliver(notification, to: address)
            StandardStream.output.line(answer.description)
            return (200...299).contains(answer["status"]?.integer ?? 0) ? .done : .no
        } catch {
            throw CommandFault(.failed, error.description)
        }
    }

    /// The options under the names they have in `POST /notify`, so that there is one reader of both.
    private func order(_ input: Input) throws(CommandFault) -> NotificationOrder {
        var json: JSONObject = ["type": .string(input.arguments[0])]
        for name in ["sub", "aud", "to", "email", "shape", "time", "jti"] {
            json[name] = input.value("--" + name).map(JSONValue.string)
        }
        json["claims"] = .object(try FakeAppleFolder.members(input, of: "--claim"))
        json["header"] = .object(try FakeAppleFolder.members(input, of: "--header"))
        do { return try NotificationOrder(json, audience: FakeAppleFolder.bundleID) } catch {
            throw CommandFault(.usage, error.description)
        }
    }
}
