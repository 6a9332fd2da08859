/// Keys that OpenSSL's command wrote for these tests; they were never used for anything else.
enum PEMFixtures {
    static let p256 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgIjKLkSF211Q3MTP8
        Sam08pauJU3MMM/jF672DAMuocShRANCAAQvunobc+riL+IJ4ioJT54+w/SNiMIz
        XSU99jRmjvvapq+PfjGwTBBKR+o35bxS9EGcxnbwisSrxE+BBfOZsPmh
        -----END PRIVATE KEY-----
        """

    /// The same key in the older form of SEC 1.
    static let p256SEC1 = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEICIyi5EhdtdUNzEz/EmptPKWriVNzDDP4xeu9gwDLqHEoAoGCCqGSM49
        AwEHoUQDQgAEL7p6G3Pq4i/iCeIqCU+ePsP0jYjCM10lPfY0Zo772qavj34xsEwQ
        SkfqN+W8UvRBnMZ28IrEq8RPgQXzmbD5oQ==
        -----END EC PRIVATE KEY-----
        """

    static let ed25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIL8y4uxDqGKSYkMPTtSX1hrdYVoy8zX7slzenWZzNkks
        -----END PRIVATE KEY-----
        """

    static let p384 = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDBdWU4158k4rlDVYbhw
        fTyaebZdVAmTvMsVrmxWUtcdEAr9EOFxhkG/DNMYmpq/onqhZANiAAQO9QFBBJUv
        CV+LzGBSo9GbqASjWFX9pVoSJi4lesXaFU2oiHsGs67VI6m/akK1KM1MYWE3O4LQ
        fSq3HJql+BPf7PtyM1X39+RmI9XmJbjwooJC+IfJCh/QEnG4owcj9FQ=
        -----END PRIVATE KEY-----
        """

    static let p256Encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHrMFYGCSqGSIb3DQEFDTBJMCgGCSqGSIb3DQEFDDAbBAj2i/yoFE06bAIBATAM
        BggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQe7Fwim1lzQpXIj11AUn+egSBkNob
        cLmVzzzEvhSohRcJCtU1cJZuV5YkPVhhTim3Z9F+Yq2anrKOUvvNrSO7D/tFMxVq
        tkhl1uurp+c8M2lc+795fURRxpsBnJJ/XOHoBNnZPd538fF2oPoYD5Wgdqk3/WpR
        IgX4cg3o3AIfvXF5aVLrEgGq/Y+mWKv8dUpwrQm3SgITyuaaLkkPFJmj487zUg==
        -----END ENCRYPTED PRIVATE KEY-----
        """

    /// The public half of ``p256``.
    static let p256Public = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEL7p6G3Pq4i/iCeIqCU+ePsP0jYjC
        M10lPfY0Zo772qavj34xsEwQSkfqN+W8UvRBnMZ28IrEq8RPgQXzmbD5oQ==
        -----END PUBLIC KEY-----
        """

    /// The private half of ``p256`` with the public half of another key.
    static let p256Mismatched = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgIjKLkSF211Q3MTP8
        Sam08pauJU3MMM/jF672DAMuocShRANCAARrtRIzlw/1cb4JgvqO5+aEHhvLTpcf
        JwZG71VdjiHTSGkvXA+5aXIGmk3fYPaP8O9t5KO7rR0N+PxySSGoQXgi
        -----END PRIVATE KEY-----
        """
}
