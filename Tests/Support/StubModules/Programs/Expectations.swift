// What the programs of this folder share.
import Foundation
import GatehouseClient

/// Ends the program if the condition does not hold.
func expect(_ condition: @autoclosure () throws -> Bool, _ rule: String) rethrows {
    guard try !condition() else { return }
    print("failed: \(rule)")
    exit(1)
}

/// The failure of the Keychain that `body` throws; nil if it throws none.
func failure(_ body: () throws -> Void) -> StoreUnavailable? {
    do { try body() } catch { return error as? StoreUnavailable }
    return nil
}
