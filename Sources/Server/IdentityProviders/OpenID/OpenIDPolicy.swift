package import JOSE

/// Which identity tokens of an OpenID provider this installation accepts. All of it comes from the provider's settings: a
/// token only selects among the values.
package struct OpenIDPolicy: Sendable, Equatable {
    /// The accepted `iss`: one, except for providers that write it in two ways.
    package var issuers: [String]
    /// The accepted `aud`: the client ids of the operator's apps.
    package var audiences: [String]
    /// The accepted `azp`, besides the audiences.
    package var authorizedParties: [String]
    package var algorithms: [Algorithm]
    package var nonce: NonceRule
    /// The largest age of a token, counted from its `iat`.
    package var maximumAge: Duration
    package var required: [RequiredClaim]
    package var emailRule: EmailRule
    /// The largest accepted difference between the provider's clock and this server's.
    package var leeway: Duration

    /// Whether a login must have a nonce.
    package enum NonceRule: String, Sendable, CaseIterable {
        case required
        /// A nonce in the request must be the token's. One that is only in the token is ignored: some libraries make a nonce
        /// that their app never learns.
        case ifSent = "if-sent"
        /// A nonce that this server has issued. The same as `required` here: the domain checks who issued it.
        case challenge
    }

    /// When a token's address counts as verified.
    package enum EmailRule: Sendable, Equatable {
        /// When `email_verified` is true.
        case claim
        /// Google vouches for addresses of its own and of its hosted domains. Any other mailbox may since belong to another
        /// person.
        case google
    }

    package init(
        issuers: [String], audiences: [String], authorizedParties: [String] = [],
        algorithms: [Algorithm] = [.RS256, .ES256], nonce: NonceRule = .required, maximumAge: Duration = .seconds(3600),
        required: [RequiredClaim] = [], emailRule: EmailRule = .claim, leeway: Duration = .seconds(60)
    ) {
        self.issuers = issuers
        self.audiences = audiences
        self.authorizedParties = authorizedParties
        self.algorithms = algorithms
        self.nonce = nonce
        self.maximumAge = maximumAge
        self.required = required
        self.emailRule = emailRule
        self.leeway = leeway
    }
}

/// A claim that must have a value, such as `hd=example.com`. `true` also stands for the boolean.
package struct RequiredClaim: Sendable, Equatable {
    package let name: String
    package let value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// Where an OpenID provider publishes its keys.
package enum KeySetAddress: Sendable, Equatable {
    /// In the metadata of the issuer.
    case discovery(issuer: String)
    case keySet(url: String)
}
