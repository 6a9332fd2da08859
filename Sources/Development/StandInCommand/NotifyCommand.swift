import CommandLineTool
import DevelopmentHTTP
import FileSystem
import JSON
import StandIn

struct NotifyCommand: Command {
    let words = ["notify"]
    let summary = "Create a notification as Apple's servers do, and post it with --to."
    let discussion = """
        TYPE is email-disabled, email-enabled, consent-revoked, account-delete, account-deleted or any other word.
        Prints {"payload": …} in the form that Apple's servers post. With --to, posts it and prints the answer; the exit
        status is 0 for an HTTP status of 2xx and 1 for any other.
        """
    let parameters = ["TYPE"]
    let options =
        [
            .keys,
            Option(name: "--sub", value: "SUBJECT", help: "the user", isRequired: true),
            .audience,
            Option(name: "--to", value: "URL", help: "where to post it: https, or http on this machine"),
            Option(name: "--ca", value: "FILE", help: "trusted certificates in place of the system's"),
            .email,
            Option(name: "--shape", value: "SHAPE", help: "events as object, string or array (string)"),
            Option(name: "--time", value: "UNIT", help: "event_time in s or ms (ms)"),
            Option(name: "--jti", value: "ID", help: "the id of the notification (random)"),
            .claim, .header, .time,
        ]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        try Environment.refuseProduction()
        let order = try order(arguments)
        let (mint, view) = try arguments.mint()
        let notification = mint.notification(order, view: view, now: try arguments.effectiveTime())
        guard let address = order.address else {
            StandardStream.output.line(notification.description)
            return .done
        }
        do throws(HTTPRefusal) {
            let answer = try NotificationSender(authorities: arguments.value("--ca")).deliver(notification, to: address)
            StandardStream.output.line(answer.description)
            return (200...299).contains(answer["status"]?.integer ?? 0) ? .done : .no
        } catch {
            throw CommandError(.failed, error.description)
        }
    }

    /// The options under their names in `POST /notify`, so that one parser reads both.
    private func order(_ arguments: Arguments) throws(CommandError) -> NotificationOrder {
        var json: JSONObject = ["type": .string(arguments.positional[0])]
        for name in ["sub", "aud", "to", "email", "shape", "time", "jti"] {
            json[name] = arguments.value("--" + name).map(JSONValue.string)
        }
        json["claims"] = .object(try arguments.members("--claim"))
        json["header"] = .object(try arguments.members("--header"))
        do { return try NotificationOrder(json, audience: Environment.bundleID) } catch {
            throw CommandError(.usage, error.description)
        }
    }
}
