import Gatehouse
import GatehouseServer
import GatehouseStore
import GatehouseWeb
import JSON

/// Whether the passkeys in the database belong to the RP id, and whether phones and browsers find the files of its domain.
struct PasskeyCheck: Check {
    /// How many names before the public suffix every browser reads (WebAuthn, section 5.11.1).
    static let certainOrigins = 5
    static let appleCache = "https://app-site-association.cdn-apple.com/a/v1/"

    let subject = "passkeys"
    let passkeys: PublishedPasskeys
    /// The address of the API.
    let address: PublicAddress?
    /// Nil if this user cannot read it.
    let database: (any ExaminedDatabase)?
    var isOffline = false
    /// Where Apple keeps its copies; nil to ask for none.
    var cache: String?
    var fetch: (String) -> FileProbe = { FileProbe(asking: $0) }

    /// Of the domain, which may have another host than the API.
    private var origin: String {
        guard let address, address.host == passkeys.rpID else { return "https://" + passkeys.rpID }
        return address.description
    }

    func run() -> [Finding] {
        let changed = (try? database?.rpIDOfPasskeys()).flatMap { $0 == passkeys.rpID ? nil : $0 }.map { kept in
            Finding.fault(
                "the passkeys in the database belong to \(kept), and PASSKEY_RP_ID is \(passkeys.rpID): no server starts",
                ChangedRPID.advice(keeping: kept))
        }
        let found = isOffline ? [Finding.note("the files at \(origin) are not fetched: --offline")] : files
        return [changed].compactMap(\.self) + found + manyOrigins
    }

    private var manyOrigins: [Finding] {
        guard passkeys.relatedOrigins.count > Self.certainOrigins else { return [] }
        return [
            .note(
                "PASSKEY_ORIGINS has \(passkeys.relatedOrigins.count) related origins, and a browser may read no more than "
                    + "\(Self.certainOrigins) names before the public suffix", "see Passkeys.md, Related origins")
        ]
    }

    private var files: [Finding] {
        let documents = PasskeyDocuments(passkeys)
        let files = [
            PasskeyFile(PasskeyDocuments.iOSPath, documents.iOS, reader: "an iPhone"),
            PasskeyFile(PasskeyDocuments.androidPath, documents.android, reader: "an Android phone"),
            PasskeyFile(PasskeyDocuments.originsPath, documents.relatedOrigins, reader: "a browser"),
            PasskeyFile(PasskeyDocuments.pagesPath, documents.pages, reader: "a password manager"),
        ].compactMap(\.self)
        let copy = cache.flatMap { cache in
            files.first { $0.path == PasskeyDocuments.iOSPath }.map { $0.atCache(fetch(cache + passkeys.rpID)) }
        }
        return files.map { $0.evaluate(fetch(origin + $0.path), at: origin) } + [copy].compactMap(\.self)
    }
}

/// A file that is to be published, and who reads it.
struct PasskeyFile {
    let path: String
    let reader: String
    /// What the server publishes in it.
    private let texts: [String]

    /// Nil if there is nothing to publish.
    init?(_ path: String, _ document: PublishedDocument?, reader: String) {
        guard let document, let value = try? JSONValue(parsing: document.bytes) else { return nil }
        (self.path, self.reader) = (path, reader)
        texts = value.texts
    }

    func evaluate(_ answer: FileProbe, at origin: String) -> Finding {
        let url = origin + path
        switch answer {
        case .unreachable(let cause):
            return .fault(
                "\(url) cannot be fetched: \(cause)",
                "curl -v \(url), from another machine: \(reader) needs the file at the domain of PASSKEY_RP_ID, with a certificate "
                    + "that everybody trusts")
        case .answered(let status, let type, let body):
            guard let fault = fault(status, type, body) else { return .ok("\(reader) sees \(summary) at \(url)") }
            return .fault(
                "\(url) \(fault): \(reader) sees none of \(summary)",
                "pass the path on from this host to the API without a redirect, or correct the file there (Passkeys.md, Files for "
                    + "phones)")
        }
    }

    /// Apple's copy is up to a day older than the file.
    func atCache(_ answer: FileProbe) -> Finding {
        switch answer {
        case .unreachable(let cause): return .note("Apple's cache cannot be asked: \(cause)")
        case .answered(let status, _, let body):
            guard let fault = status == 200 ? missing(in: body) : "answers \(status)" else {
                return .ok("Apple's cache has \(summary)")
            }
            return .note(
                "Apple's cache \(fault): \(reader) does not see the file yet",
                "wait up to a day after a change, then install the app again")
        }
    }

    private var summary: String { texts.isEmpty ? "that there are passkeys" : texts.joined(separator: ", ") }

    private func fault(_ status: Int, _ type: String?, _ body: [UInt8]) -> String? {
        switch status {
        case 200: break
        case 300..<400: return "answers \(status), and redirects are not followed"
        case 401, 403: return "answers \(status), and nobody sends a token"
        default: return "answers \(status)"
        }
        let type = type?.lowercased().prefix { $0 != ";" && $0 != " " }
        return type == "application/json" ? missing(in: body) : "has another Content-Type than application/json"
    }

    /// A file of the operator's own may have more.
    private func missing(in body: [UInt8]) -> String? {
        guard let found = (try? JSONValue(parsing: body))?.texts else { return "is not JSON" }
        let missing = texts.filter { !found.contains($0) }
        return missing.isEmpty ? nil : "does not have \(missing.joined(separator: ", "))"
    }
}

extension JSONValue {
    /// Every string in it, but not the names of members.
    fileprivate var texts: [String] {
        if let string { return [string] }
        if let array { return array.flatMap(\.texts) }
        return object?.members.flatMap(\.value.texts) ?? []
    }
}
