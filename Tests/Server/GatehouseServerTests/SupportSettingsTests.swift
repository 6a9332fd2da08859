import Gatehouse
import TestSupport
import Testing

@testable import GatehouseServer

@Suite("Settings of support")
struct SupportSettingsTests {
    @Test("the API for support is off unless it is turned on, and other words are faults")
    func api() throws {
        for values in [[:], ["ADMIN_API": "off"], ["ADMIN_ACR": "urn:gatehouse:2"]] {
            #expect(try TestConfiguration.read(values).policy.support == nil)
        }
        let on = ["ADMIN_API": "on"]
        #expect(try TestConfiguration.read(on).policy.support == SupportPolicy())
        for strength in LoginStrength.allCases {
            let values = on.merging(["ADMIN_ACR": strength.rawValue]) { $1 }
            #expect(try TestConfiguration.read(values).policy.support == SupportPolicy(strength: strength))
        }
        for values in [["ADMIN_API": "yes"], ["ADMIN_API": "ON"], ["ADMIN_ACR": "2"], ["ADMIN_ACR": "urn:gatehouse:3"]]
        {
            #expect(TestConfiguration.faults(values).count == 1)
        }
    }
}
