import Gatehouse
import GatehouseServer

/// Whether the server knows the origin that proofs of bound sessions must be about.
struct ProofOriginCheck: Check {
    let subject = "proofs"
    /// Nil if its settings have a fault, which the check of the configuration reports.
    let web: WebPolicy?
    let address: PublicAddressSetting

    func run() -> [Finding] {
        guard let web else { return [.note("not checked: see configuration")] }
        if let origin = address.originOfProofs(web) { return [.ok("those of bound sessions must be about \(origin)")] }
        return [
            .note(
                "the origin of this server is not known: those of bound sessions are compared with the Host that each request "
                    + "names, so one for another origin is not refused",
                "set PUBLIC_URL; behind a balancer set it to off, and TOKEN_ISSUER to the https origin that clients use"
            )
        ]
    }
}
