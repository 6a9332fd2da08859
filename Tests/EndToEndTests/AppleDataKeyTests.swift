import Foundation
import TestSupport
import Testing

@Suite("The key of what Apple gave")
struct AppleDataKeyTests {
    @Test("can be replaced: what the one before it sealed is still taken back")
    func rotated() throws {
        let world = try DeveloperHouse()
        let login = try world.signInAndBeGranted("ann")
        world.stop()
        try world.house.restart {
            $0["DATA_KEY"] = DeveloperHouse.key(8)
            $0["DATA_KEY_PREVIOUS"] = DeveloperHouse.dataKey
        }
        #expect(try world.house.deleteAccount(login).header("x-apple-revocation") == "queued")
        #expect(Eventually.holds { !world.isAuthorised("ann") && world.waiting == 0 })
    }

    @Test("that is lost is an error in the log, and what it sealed waits for it")
    func lost() throws {
        let world = try DeveloperHouse()
        let login = try world.signInAndBeGranted("ann")
        world.stop()
        try world.house.restart { $0["DATA_KEY"] = DeveloperHouse.key(8) }
        #expect(try world.house.deleteAccount(login).status == 204)
        #expect(Eventually.holds { world.house.process.log.contains("DATA_KEY does not open") })
        #expect(world.house.process.log.contains(#""level":"error""#))
        #expect(world.waiting == 1 && world.isAuthorised("ann"))
        world.stop()
        try world.house.restart()
        #expect(Eventually.holds { !world.isAuthorised("ann") && world.waiting == 0 })
    }
}
