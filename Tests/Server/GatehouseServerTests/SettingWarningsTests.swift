import GatehouseServer
import Testing

@Suite("Warnings of settings")
struct SettingWarningsTests {
    @Test(
        "values that make little sense are allowed with a warning, and usual ones have none",
        arguments: [
            (
                ["REFRESH_TOKEN_TTL": "10s"],
                ["REFRESH_TOKEN_TTL is 10s", "REFRESH_TOKEN_TTL (10s) is not longer", "REFRESH_REUSE_GRACE (30s)"]
            ),
            (["ACCESS_TOKEN_TTL": "59s"], ["ACCESS_TOKEN_TTL is 59s"]),
            (
                ["ACCESS_TOKEN_TTL": "1h", "REFRESH_TOKEN_TTL": "1h"],
                ["REFRESH_TOKEN_TTL (1h) is not longer than ACCESS_TOKEN_TTL (1h)"]
            ),
            (["SESSION_MAX_AGE": "29d"], ["SESSION_MAX_AGE (29d) is shorter than REFRESH_TOKEN_TTL (30d)"]),
            (["REFRESH_REUSE_GRACE": "16m"], ["REFRESH_REUSE_GRACE (16m) is longer"]),
            (["SENSITIVE_MAX_AGE": "59s"], ["SENSITIVE_MAX_AGE is 59s"]),
            (["SENSITIVE_MAX_AGE": "365d"], ["SENSITIVE_MAX_AGE (365d) is not shorter than SESSION_MAX_AGE"]),
            (["AUDIT_RETENTION": "6d"], ["AUDIT_RETENTION is 6d"]),
            ([:], []), (["ACCESS_TOKEN_TTL": "1m", "REFRESH_TOKEN_TTL": "1h"], []), (["SESSION_MAX_AGE": "30d"], []),
            (["REFRESH_REUSE_GRACE": "15m"], []), (["REFRESH_REUSE_GRACE": "0s"], []),
            (["GUESTS": "open", "GUEST_TTL": "29d"], ["GUEST_TTL (29d) is shorter than REFRESH_TOKEN_TTL (30d)"]),
            (["GUESTS": "open"], []), (["GUEST_TTL": "1d"], []),
            (["SENSITIVE_MAX_AGE": "1m"], []), (["AUDIT_RETENTION": "7d"], []),
        ] as [([String: String], [String])])
    func warnings(changes: [String: String], beginnings: [String]) throws {
        let warnings = try TestConfiguration.read(changes).warnings
        #expect(warnings.count == beginnings.count, "\(warnings)")
        for (warning, beginning) in zip(warnings, beginnings) { #expect(warning.hasPrefix(beginning)) }
    }
}
