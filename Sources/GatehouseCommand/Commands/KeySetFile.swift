import JOSE
import JSON
import POSIX

/// A key set that somebody names on the command line.
struct KeySetFile {
    /// What a login would use of it.
    let appleKeys: JWKSet
    /// Every key that can be read, named or not.
    let all: [VerificationKey]

    init(_ path: String) throws(CommandFault) {
        let bytes: [UInt8]
        do { bytes = try File.read(path) } catch { throw CommandFault(.usage, error.description) }
        do { appleKeys = try JWKSet(parsing: bytes, usableFor: [.RS256]) } catch {
            throw CommandFault(.usage, "\(path) is no key set: \(error)")
        }
        let members = (try? JSONValue(parsing: bytes))?.object?["keys"]?.array ?? []
        all = members.compactMap { member in
            member.object.flatMap { try? VerificationKey(jwk: $0, allowingSymmetric: true) }
        }
    }
}
