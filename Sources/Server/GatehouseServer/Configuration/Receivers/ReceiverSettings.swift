import EventDelivery

/// The table of the settings of a receiver's file.
package struct ReceiverSettings: SettingsTable {
    package static let table = ReceiverSettings()

    /// The rows, in the order of their declaration. `Mirror` lists the properties, so that no row can be left out.
    package static let all = Mirror(reflecting: table).children.compactMap { $0.value as? any SettingRow }

    /// The names with which a line of a receiver's file may begin.
    static let names = SettingNames(ofFolder: all)

    /// The table of the Events page, in Markdown.
    package static var markdown: String { Settings.markdown(all.map { ($0, $0.defaultValue) }) }

    let url = Setting(
        "URL", .receiverURL, default: .required, "Address to which events are sent.",
        details: """
            http goes to this machine only or, with `PRIVATE_ADDRESSES=permitted`, to an internal network. No redirect is \
            followed.
            """)
    let secret = Setting(
        "SECRET", .webhookSecrets, default: .required, secret: true, "Secret that signs the events.",
        details: "Two while it is replaced: each event is signed with both. No two receivers should have the same one.")
    let types = Setting(
        "TYPES", .eventTypes, "Types of events that are sent.", details: "If it is not set, all are, also later types.")
    let privateAddresses = Setting(
        "PRIVATE_ADDRESSES", .oneOf(PrivateAddressRule.self), default: "refused",
        "Whether the name in `URL` may have an address of this machine or of an internal network.",
        details: """
            With `refused`, no connection to such an address is made. An address in digits in `URL`, and `localhost`, need no \
            permission. A proxy from the environment is only used with `permitted`.
            """)
}

/// The values of `PRIVATE_ADDRESSES`.
enum PrivateAddressRule: String, Sendable, CaseIterable {
    case refused
    case permitted
}
