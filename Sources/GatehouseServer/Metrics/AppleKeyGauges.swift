import AppleID
import Gatehouse

/// How it stands with Apple's keys when somebody asks.
struct AppleKeyGauges: MetricSource {
    let keys: AppleKeys

    func write(to text: inout Exposition) {
        let vitals = keys.vitals
        text.begin(
            Family("gatehouse_apple_keys_usable", .gauge, "Keys of Apple's that logins can be verified with right now.")
        )
        text.sample(vitals.usableKeys)
        text.begin(
            Family("gatehouse_apple_keys_age_seconds", .gauge, "Since Apple's keys were last fetched; NaN without any.")
        )
        text.sample(vitals.age.map { Double($0.milliseconds) / 1000 })
        text.begin(
            Family(
                "gatehouse_apple_keys_last_fetch_success", .gauge,
                "1 where the last fetch brought keys, 0 where not; NaN before the first one."))
        text.sample(vitals.lastFetchSucceeded.map { $0 ? 1.0 : 0 })
    }
}
