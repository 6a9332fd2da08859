import Gatehouse

/// One operation of the API: a method and a path, who may call it, which body it reads, and the endpoint that answers.
///
/// An endpoint throws a `Problem`, or a `Refusal` of the domain, and nothing else: the router turns both into an answer. A
/// class, so that the choice among several routes copies nothing.
package final class Route: Sendable {
    typealias Respond = @Sendable (Request, AuthService, inout RequestContext) throws -> Response
    typealias ProblemResponse = @Sendable (Problem, Request) -> Response

    package let method: Method
    /// A segment in braces, such as `{id}`, matches any text, which the request then has as `pathArgument`.
    package let path: String
    package let access: Access
    /// Empty for an endpoint that reads no body.
    package let bodyTypes: [MediaType]
    package let needsBody: Bool
    /// Whether nginx, monitoring or services call the endpoint all the time, so that a success is not logged.
    package let isRoutine: Bool
    /// Whether the endpoint answers requests of every method and size.
    let answersAnyRequest: Bool
    /// The answer to a request that failed.
    let problemResponse: ProblemResponse
    /// The endpoint, behind the checks that the route states.
    let respond: Respond

    private init(
        _ method: Method, _ path: String, _ access: Access, _ body: (types: [MediaType], isNeeded: Bool),
        _ options: Options, _ respond: @escaping Respond
    ) {
        (self.method, self.path, self.access) = (method, path, access)
        (bodyTypes, needsBody) = body
        (isRoutine, answersAnyRequest) = (options.isRoutine, options.answersAnyRequest)
        problemResponse = options.problemResponse
        self.respond = respond
    }

    /// What few routes need.
    struct Options {
        var isRoutine = false
        var answersAnyRequest = false
        var problemResponse: ProblemResponse = { problem, request in problem.response(requestID: request.id) }
    }
}

// MARK: - Statements

extension Route {
    convenience init(
        _ method: Method, _ path: String, access: Access,
        _ endpoint: @escaping @Sendable (Request, inout RequestContext) throws -> Response, _ options: Options = .init()
    ) {
        self.init(method, path, access, ([], false), options) { request, auth, context in
            try access.check(request, by: auth, in: &context)
            return try endpoint(request, &context)
        }
    }

    convenience init<Value>(
        _ method: Method, _ path: String, access: Access, body: Body<Value>,
        _ endpoint: @escaping @Sendable (Request, Value, inout RequestContext) throws -> Response,
        _ options: Options = .init()
    ) {
        self.init(method, path, access, (body.types, body.isNeeded), options) { request, auth, context in
            try access.check(request, by: auth, in: &context)
            return try endpoint(request, try body.read(request), &context)
        }
    }

    convenience init(
        _ method: Method, _ path: String, caller access: CallerAccess,
        _ endpoint: @escaping @Sendable (Request, Caller, inout RequestContext) throws -> Response,
        _ options: Options = .init()
    ) {
        self.init(method, path, .caller(access), ([], false), options) { request, auth, context in
            try endpoint(request, try access.caller(of: request, by: auth, in: &context), &context)
        }
    }

    convenience init<Value>(
        _ method: Method, _ path: String, caller access: CallerAccess, body: Body<Value>,
        _ endpoint: @escaping @Sendable (Request, Caller, Value, inout RequestContext) throws -> Response,
        _ options: Options = .init()
    ) {
        self.init(method, path, .caller(access), (body.types, body.isNeeded), options) { request, auth, context in
            let caller = try access.caller(of: request, by: auth, in: &context)
            return try endpoint(request, caller, try body.read(request), &context)
        }
    }
}

/// For administrators: `Access.administrator`.
extension Route {
    static func support(
        _ method: Method, _ path: String,
        _ endpoint: @escaping @Sendable (Request, Administrator) throws -> Response
    ) -> Route {
        Route(method, path, .administrator, ([], false), Options()) { request, auth, context in
            try endpoint(request, try Access.administrator(of: request, by: auth, in: &context))
        }
    }

    static func support<Value>(
        _ method: Method, _ path: String, body: Body<Value>,
        _ endpoint: @escaping @Sendable (Request, Administrator, Value) throws -> Response
    ) -> Route {
        Route(method, path, .administrator, (body.types, body.isNeeded), Options()) { request, auth, context in
            let administrator = try Access.administrator(of: request, by: auth, in: &context)
            return try endpoint(request, administrator, try body.read(request))
        }
    }
}

/// The body of a request, as a route states it.
struct Body<Value>: Sendable {
    let types: [MediaType]
    let isNeeded: Bool
    let read: @Sendable (Request) throws -> Value

    /// A body that depends on other parts of the request.
    init(_ types: [MediaType], isNeeded: Bool = true, reading read: @escaping @Sendable (Request) throws -> Value) {
        (self.types, self.isNeeded, self.read) = (types, isNeeded, read)
    }

    static func json(_ type: Value.Type) -> Self where Value: RequestBody {
        Self([.json]) { request in try request.read(type) }
    }

    static func optionalJSON<Members: RequestBody>(_ type: Members.Type) -> Self where Value == Members? {
        Self([.json], isNeeded: false) { request in try request.readIfPresent(type) }
    }
}

extension Body<Form> {
    static let form = Self([.form]) { request in try request.form() }
    static let optionalForm = Self([.form], isNeeded: false) { request in try request.form() }
}
