import Gatehouse
import GatehouseWeb

/// All that answers requests, built of one reading of the settings. It never changes: another reading makes another one,
/// and whoever has taken this one goes on with it to the end, so that no request sees half of each.
final class Edition: Sendable {
    let gatekeeper: Gatekeeper
    let router: Router

    init(gatekeeper: Gatekeeper, router: Router) {
        self.gatekeeper = gatekeeper
        self.router = router
    }
}
