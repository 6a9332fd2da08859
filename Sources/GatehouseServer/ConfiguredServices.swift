import Gatehouse
import GatehouseWeb

/// The services that are built from the settings. They are immutable: a reload builds new ones. A request uses the same
/// ones from its beginning to its end, so it never mixes old and new settings.
final class ConfiguredServices: Sendable {
    let auth: AuthService
    let router: Router

    init(auth: AuthService, router: Router) {
        self.auth = auth
        self.router = router
    }
}
