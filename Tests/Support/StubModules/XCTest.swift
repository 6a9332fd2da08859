// What the documentation uses of Apple's XCTest, with the signatures of Apple's documentation.
import Foundation

open class XCTestCase {}

@MainActor public final class XCUIApplication {
    public init() {}
    public var launchEnvironment: [String: String] = [:]
    public func launch() {}
    public var buttons: XCUIElementQuery { XCUIElementQuery() }
}

@MainActor public final class XCUIElementQuery {
    public subscript(_ key: String) -> XCUIElement { XCUIElement() }
}

@MainActor public final class XCUIElement {
    public func tap() {}
    public func waitForExistence(timeout: TimeInterval) -> Bool { true }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
public func XCTAssertTrue(_ expression: @autoclosure () throws -> Bool) {}
