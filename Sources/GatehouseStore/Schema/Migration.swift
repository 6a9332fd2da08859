/// One step of the schema. Steps are numbered by their place and never change once they have been released.
struct Migration: Sendable {
    let name: String
    let sql: [UInt8]

    /// All steps, in the order in which they run.
    static let all: [Migration] = [
        Migration(name: "users and sessions", sql: PackageResources._001_users_and_sessions_sql),
        Migration(name: "revocations and audit", sql: PackageResources._002_revocations_and_audit_sql),
        Migration(name: "documents", sql: PackageResources._003_documents_sql),
        Migration(name: "apple", sql: PackageResources._004_apple_sql),
        Migration(
            name: "verified emails and devices", sql: PackageResources._005_verified_emails_and_devices_sql),
        Migration(name: "operators in the audit trail", sql: PackageResources._006_operators_in_the_audit_trail_sql),
        Migration(
            name: "checks without temporary tables",
            sql: PackageResources._007_checks_without_temporary_tables_sql),
    ]
}
