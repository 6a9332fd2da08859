// What the documentation uses of Apple's SwiftUI, and of its button for Sign in with Apple, with the signatures of Apple's
// documentation. Nothing is drawn.
import AuthenticationServices
@_exported import Foundation
@_exported import UIKit

public protocol ObservableObject: AnyObject {}

@propertyWrapper public struct Published<Value> {
    public var wrappedValue: Value
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

@propertyWrapper public struct StateObject<ObjectType: ObservableObject> {
    @MainActor public var wrappedValue: ObjectType { thunk() }
    private let thunk: () -> ObjectType
    public init(wrappedValue thunk: @autoclosure @escaping () -> ObjectType) { self.thunk = thunk }
}

@propertyWrapper public struct ObservedObject<ObjectType: ObservableObject> {
    @MainActor public var wrappedValue: ObjectType { object }
    private let object: ObjectType
    public init(wrappedValue: ObjectType) { object = wrappedValue }
}

@propertyWrapper public struct State<Value> {
    public var wrappedValue: Value {
        get { value }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { Binding(value: value) }
    private let value: Value
    public init(wrappedValue: Value) { value = wrappedValue }
}

public struct EnvironmentValues {
    @MainActor public var webAuthenticationSession: WebAuthenticationSession { WebAuthenticationSession() }
}

@propertyWrapper public struct Environment<Value> {
    @MainActor public var wrappedValue: Value { EnvironmentValues()[keyPath: path] }
    private let path: KeyPath<EnvironmentValues, Value>
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { path = keyPath }
}

/// Shows a browser over the app.
@MainActor public struct WebAuthenticationSession {
    public enum BrowserSession: Sendable { case ephemeral }
    public func authenticate(
        using url: URL, callbackURLScheme: String, preferredBrowserSession: BrowserSession? = nil
    ) async throws -> URL { url }
}

public struct Binding<Value> {
    public var wrappedValue: Value {
        get { value }
        nonmutating set {}
    }
    private let value: Value
    fileprivate init(value: Value) { self.value = value }
}

@MainActor public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor var body: Body { get }
}

@MainActor public protocol App {
    associatedtype Body: Scene
    var body: Body { get }
    init()
}
extension App {
    public static func main() {}
}

@MainActor public protocol Scene {}
@MainActor public protocol PreviewProvider {
    associatedtype Previews: View
    @ViewBuilder @MainActor static var previews: Previews { get }
}

/// A view of the framework itself.
public protocol PrimitiveView: View where Body == Never {}
extension PrimitiveView {
    // Without `return`, it would be the body of a builder.
    // swift-format-ignore: OmitExplicitReturns
    public var body: Never { return fatalError() }
}
extension Never: View {
    // swift-format-ignore: OmitExplicitReturns
    public var body: Never { return fatalError() }
}

/// The view of every builder and modifier.
public struct StubView: PrimitiveView {}

@resultBuilder public enum ViewBuilder {
    public static func buildExpression(_ content: some View) -> StubView { StubView() }
    public static func buildBlock(_ content: StubView...) -> StubView { StubView() }
    public static func buildOptional(_ content: StubView?) -> StubView { StubView() }
    public static func buildEither(first content: StubView) -> StubView { content }
    public static func buildEither(second content: StubView) -> StubView { content }
}

extension View {
    public typealias Action = @Sendable () async -> Void
    public func task(@_inheritActorContext _ action: @escaping Action) -> some View { StubView() }
    public func task<T: Equatable>(id value: T, @_inheritActorContext _ action: @escaping Action) -> some View {
        StubView()
    }
    public func disabled(_ disabled: Bool) -> some View { StubView() }
    public func frame(width: Double? = nil, height: Double? = nil) -> some View { StubView() }
    public func padding() -> some View { StubView() }
    public func textContentType(_ type: UITextContentType?) -> some View { StubView() }
    public func keyboardType(_ type: UIKeyboardType) -> some View { StubView() }
}

public struct WindowGroup: Scene {
    public init(@ViewBuilder content: () -> StubView) {}
}

public struct VStack: PrimitiveView {
    public init(spacing: Double? = nil, @ViewBuilder content: () -> StubView) {}
}

public struct Text: PrimitiveView {
    public init(_ content: some StringProtocol) {}
}

public struct TextField: PrimitiveView {
    public init(_ title: some StringProtocol, text: Binding<String>) {}
}

public protocol TimelineSchedule {}
public struct PeriodicTimelineSchedule: TimelineSchedule {}
extension TimelineSchedule where Self == PeriodicTimelineSchedule {
    public static func periodic(from start: Date, by interval: TimeInterval) -> PeriodicTimelineSchedule {
        PeriodicTimelineSchedule()
    }
}

public struct TimelineView: PrimitiveView {
    public struct Context { public let date: Date }
    public init(_ schedule: some TimelineSchedule, @ViewBuilder content: @escaping (Context) -> StubView) {}
}

public struct ProgressView: PrimitiveView {
    public init() {}
}

public struct Button: PrimitiveView {
    public init(_ title: some StringProtocol, action: @escaping @MainActor () -> Void) {}
}

public struct SignInWithAppleButton: PrimitiveView {
    public enum Label { case signIn, `continue` }
    public init(
        _ label: Label = .signIn, onRequest: @escaping (ASAuthorizationAppleIDRequest) -> Void,
        onCompletion: @escaping ((Result<ASAuthorization, any Error>) -> Void)
    ) {}
}
