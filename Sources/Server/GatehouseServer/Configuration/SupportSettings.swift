import Gatehouse

/// The API for those who support users.
package struct SupportSettings: Sendable {
    let api = Setting(
        "ADMIN_API", .oneOf(SupportSwitch.self), default: "off",
        "Whether administrators may look at users and act on them.",
        details: """
            With `on`, users with the role ADMIN or SUPER_ADMIN who signed in within the hour may use `/api/admin/` and its \
            page: [Support](Support.md). With `off`, both do not exist.
            """)
    let strength = Setting(
        "ADMIN_ACR", .oneOf(LoginStrength.self), "How strong the login of an administrator has to be.",
        details: """
            If it is not set, an administrator who has a passkey signs in by it, with user verification. `urn:gatehouse:2` \
            demands that of all.
            """)
}

/// The values of `ADMIN_API`.
enum SupportSwitch: String, Sendable, CaseIterable {
    case off
    case on
}

extension SettingReader<Settings> {
    var supportPolicy: SupportPolicy? {
        self[\.support.api] == .on ? SupportPolicy(strength: self[\.support.strength]) : nil
    }
}
