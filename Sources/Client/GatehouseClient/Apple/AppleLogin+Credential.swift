#if canImport(AuthenticationServices) && canImport(CryptoKit)
    import AuthenticationServices
    import CryptoKit
    import Foundation

    extension AppleLogin {
        /// The content of Apple's answer to a request with this nonce.
        init(_ authorization: ASAuthorization, nonce: String) throws(AppleSignInError) {
            guard let credential = authorization.credential as? ASAuthorizationAppleIDCredential,
                let token = credential.identityToken.flatMap(Self.text), !token.isEmpty
            else { throw .noIdentityToken }
            self.init(
                identityToken: token, nonce: nonce,
                authorizationCode: credential.authorizationCode.flatMap(Self.text))
            userIdentifier = credential.user
            email = credential.email
            fullName = credential.fullName.flatMap(Name.init)
            realUserStatus = credential.realUserStatus.rawValue
        }

        private static func text(_ data: Data) -> String? { String(data: data, encoding: .utf8) }
    }

    extension AppleLogin.Name {
        /// Nil without any part: Apple gives an empty name at each login but the first.
        init?(_ name: PersonNameComponents) {
            guard name.givenName != nil || name.familyName != nil else { return nil }
            self.init(givenName: name.givenName, familyName: name.familyName)
        }
    }

    extension LoginChallenge {
        /// The SHA-256 of the nonce in lowercase hexadecimal, which Apple copies into the identity token.
        var hash: String {
            let digits = Array("0123456789abcdef")
            return SHA256.hash(data: Data(nonce.utf8)).reduce(into: "") { text, byte in
                text.append(digits[Int(byte >> 4)])
                text.append(digits[Int(byte & 15)])
            }
        }
    }
#endif
