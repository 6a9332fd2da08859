/// At most this many messages within this time.
package struct CodeRate: Sendable, Equatable {
    package let count: Int
    package let window: Duration

    package init(_ count: Int, per window: Duration) {
        (self.count, self.window) = (count, window)
    }
}

/// What a limit counts messages by.
package enum CodeScope: String, Sendable, CaseIterable {
    case address
    /// The messages to an address that one network has asked for: no network can use up what the address may get.
    case addressFromNetwork = "address_from_network"
    case client
    case network
    /// The numbers that differ in the last four digits only.
    case prefix
    /// Those that one network has asked for: no network can use up what a prefix may get.
    case prefixFromNetwork = "prefix_from_network"
    case country
    /// All messages of a channel.
    case channel
    /// Too few of the codes to a prefix or a country were used: an attacker earns with them.
    case unused
}

/// How many messages with codes may be sent.
package struct CodeLimits: Sendable, Equatable {
    package var perAddress: [CodeRate]
    package var perAddressAndNetwork: [CodeRate]
    package var perClient: [CodeRate]
    package var perNetwork: [CodeRate]
    package var perPrefix: [CodeRate]
    package var perPrefixAndNetwork: [CodeRate]
    package var perCountry: [CodeRate]
    package var perChannel: [CodeRate]
    /// The least share of codes, in percent, that has to be used; 0 for none.
    package var leastUse: Int

    package init(
        perAddress: [CodeRate] = [], perAddressAndNetwork: [CodeRate] = [], perClient: [CodeRate] = [],
        perNetwork: [CodeRate] = [], perPrefix: [CodeRate] = [], perPrefixAndNetwork: [CodeRate] = [],
        perCountry: [CodeRate] = [], perChannel: [CodeRate] = [], leastUse: Int = 0
    ) {
        self.perAddress = perAddress
        self.perAddressAndNetwork = perAddressAndNetwork
        self.perClient = perClient
        self.perNetwork = perNetwork
        self.perPrefix = perPrefix
        self.perPrefixAndNetwork = perPrefixAndNetwork
        self.perCountry = perCountry
        self.perChannel = perChannel
        self.leastUse = leastUse
    }

    /// How far back the messages to one address count.
    package static let longestWindow = Duration.seconds(86_400)
    /// How long a network from which an address was proven has limits of its own for it.
    package static let knownNetworkMemory = Duration.seconds(30 * 86_400)
    /// A share is computed of the codes of this time, without those that may still be used.
    package static let shareWindow = Duration.seconds(3600)
    /// A share of fewer codes says nothing.
    package static func leastSample(of scope: CodeScope) -> Int { scope == .country ? 100 : 20 }
    /// Codes that fewer networks have asked for say nothing about the others.
    package static func leastNetworks(of scope: CodeScope) -> Int { scope == .country ? 10 : 3 }
}

/// What a message is counted by. Each is a keyed hash, except for the country.
package struct CodeKeys: Sendable, Equatable {
    package let provider: Provider
    package let address: [UInt8]
    package let prefix: [UInt8]?
    /// Of the prefix and the network together.
    package let prefixFromNetwork: [UInt8]?
    package let country: String?
    package let client: [UInt8]?
    package let network: [UInt8]?

    package init(
        provider: Provider, address: [UInt8], prefix: [UInt8]? = nil, prefixFromNetwork: [UInt8]? = nil,
        country: String? = nil, client: [UInt8]? = nil, network: [UInt8]? = nil
    ) {
        self.provider = provider
        self.address = address
        self.prefix = prefix
        self.prefixFromNetwork = prefixFromNetwork
        self.country = country
        self.client = client
        self.network = network
    }
}

/// A rate that the messages of a scope have to keep, besides those of the address.
package struct CodeQuota: Sendable, Equatable {
    package let scope: CodeScope
    package let rate: CodeRate
}

extension CodeLimits {
    /// The quotas that the store has to count, in the order in which they are reported.
    ///
    /// - Parameter isKnownNetwork: whether the address was proven from this network. Then limits against the use of many
    ///   numbers do not hold, and a fifth of what the channel may send is left for such networks.
    package func quotas(isKnownNetwork: Bool) -> [CodeQuota] {
        let others: [(CodeScope, [CodeRate])] =
            isKnownNetwork
            ? [(.channel, perChannel)]
            : [
                (.prefixFromNetwork, perPrefixAndNetwork), (.prefix, perPrefix), (.country, perCountry),
                (.channel, perChannel.map { CodeRate(($0.count * 4 + 4) / 5, per: $0.window) }),
            ]
        return networkQuotas + quotas(of: others)
    }

    /// Those of a client and of its network. New guests have no others.
    package var networkQuotas: [CodeQuota] { quotas(of: [(.client, perClient), (.network, perNetwork)]) }

    private func quotas(of rates: [(CodeScope, [CodeRate])]) -> [CodeQuota] {
        rates.flatMap { scope, rates in rates.map { CodeQuota(scope: scope, rate: $0) } }
    }
}

/// What the store knows about the messages sent so far.
package struct CodeFacts: Sendable {
    /// Quotas that are used up, with the moment at which the next message is possible.
    package struct Exhausted: Sendable, Equatable {
        package let scope: CodeScope
        package let until: Timestamp

        package init(_ scope: CodeScope, until: Timestamp) {
            (self.scope, self.until) = (scope, until)
        }

        func reached(at now: Timestamp) -> CodeLimitReached {
            CodeLimitReached(scope, wait: CodeLimits.wait(until: until, now: now))
        }
    }

    /// How many codes of a scope were sent within `CodeLimits.shareWindow`, and how many of them were used.
    package struct Share: Sendable, Equatable {
        package let scope: CodeScope
        package let sent: Int
        package let used: Int
        /// How many networks have asked for them.
        package let networks: Int

        package init(_ scope: CodeScope, sent: Int, used: Int, networks: Int) {
            (self.scope, self.sent, self.used, self.networks) = (scope, sent, used, networks)
        }
    }

    /// When messages to the same address were sent within `CodeLimits.longestWindow`, the newest first. The store reads no
    /// more than the largest limit.
    package var sent: [Timestamp] = []
    /// The same for those that this network has asked for.
    package var sentFromNetwork: [Timestamp] = []
    /// Whether the address was proven from this network within `CodeLimits.knownNetworkMemory`.
    package var isKnownNetwork = false
    package var exhausted: [Exhausted] = []
    package var shares: [Share] = []
    /// The code that the request wants to have sent again, if it is alive and for the same address.
    package var resendable: StoredCode?

    package init() {}
}

/// Why no message is sent now.
package struct CodeLimitReached: Error, Sendable, Equatable {
    package let scope: CodeScope
    package let wait: Duration

    package init(_ scope: CodeScope, wait: Duration) {
        (self.scope, self.wait) = (scope, wait)
    }
}

// MARK: - The rules

extension CodeLimits {
    /// The first limit that a message at this moment would exceed; nil if it may be sent.
    package func reached(on facts: CodeFacts, now: Timestamp) -> CodeLimitReached? {
        if let reached = addressLimit(on: facts, now: now) { return reached }
        if let quota = facts.exhausted.first { return quota.reached(at: now) }
        guard !facts.isKnownNetwork, facts.shares.contains(where: isTooLow) else { return nil }
        // The share changes as codes are used, and as the oldest ones leave the window.
        return CodeLimitReached(.unused, wait: Self.shareWindow / 4)
    }

    /// How long after a message that is sent now the address has to wait for the next one.
    package func waitAfterSending(on facts: CodeFacts, now: Timestamp) -> Duration {
        var next = facts
        next.sent.insert(now, at: 0)
        next.sentFromNetwork.insert(now, at: 0)
        return addressLimit(on: next, now: now)?.wait ?? .zero
    }

    /// The limits of the address itself.
    ///
    /// An attacker who asks for messages to an address must not lock its owner out. So a network that has proven the
    /// address has limits of its own, and an unknown network can use up only a part of the address's limit. Where a
    /// limit over more than an hour is used up, the address still gets one message an hour.
    private func addressLimit(on facts: CodeFacts, now: Timestamp) -> CodeLimitReached? {
        let counted = facts.isKnownNetwork ? facts.sentFromNetwork : facts.sent
        let reached = [
            longestWait(perAddress.filter { $0.window <= Self.longestLock }, counted, .address, now),
            longestWait(perAddress.filter { $0.window > Self.longestLock }, counted, .address, now).flatMap { _ in
                longestWait([CodeRate(1, per: Self.longestLock)], counted, .address, now)
            },
            facts.isKnownNetwork
                ? nil : longestWait(perAddressAndNetwork, facts.sentFromNetwork, .addressFromNetwork, now),
        ]
        return reached.compactMap(\.self).max { $0.wait < $1.wait }
    }

    /// How long an attacker can keep the owner of an address out.
    private static let longestLock = Duration.seconds(3600)

    private func longestWait(
        _ rates: [CodeRate], _ sent: [Timestamp], _ scope: CodeScope, _ now: Timestamp
    ) -> CodeLimitReached? {
        let waits = rates.compactMap { rate -> Duration? in
            guard rate.count > 0 else { return rate.window }
            let counted = sent.filter { $0 > now - rate.window }
            guard counted.count >= rate.count else { return nil }
            return Self.wait(until: counted[rate.count - 1] + rate.window, now: now)
        }
        return waits.max().map { CodeLimitReached(scope, wait: $0) }
    }

    /// Whole seconds, so that a client that comes back after them is not refused again.
    fileprivate static func wait(until moment: Timestamp, now: Timestamp) -> Duration {
        .seconds(max(1, (moment.milliseconds - now.milliseconds + 999) / 1000))
    }

    private func isTooLow(_ share: CodeFacts.Share) -> Bool {
        share.sent >= Self.leastSample(of: share.scope) && share.networks >= Self.leastNetworks(of: share.scope)
            && share.used * 100 < share.sent * leastUse
    }
}
