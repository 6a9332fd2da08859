/// Keys written by the openssl command for these tests only.
package enum PEMFixtures {
    package static let p256 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgIjKLkSF211Q3MTP8
        Sam08pauJU3MMM/jF672DAMuocShRANCAAQvunobc+riL+IJ4ioJT54+w/SNiMIz
        XSU99jRmjvvapq+PfjGwTBBKR+o35bxS9EGcxnbwisSrxE+BBfOZsPmh
        -----END PRIVATE KEY-----
        """

    /// The same key in the SEC 1 format.
    package static let p256SEC1 = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEICIyi5EhdtdUNzEz/EmptPKWriVNzDDP4xeu9gwDLqHEoAoGCCqGSM49
        AwEHoUQDQgAEL7p6G3Pq4i/iCeIqCU+ePsP0jYjCM10lPfY0Zo772qavj34xsEwQ
        SkfqN+W8UvRBnMZ28IrEq8RPgQXzmbD5oQ==
        -----END EC PRIVATE KEY-----
        """

    /// The output of `openssl ecparam -genkey`: a block of parameters before the key.
    package static let p256AfterParameters = """
        -----BEGIN EC PARAMETERS-----
        BggqhkjOPQMBBw==
        -----END EC PARAMETERS-----
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIMDqq5TfwnIWkOCdhernu6VMIT+pYl2St1t8VTwkAhQdoAoGCCqGSM49
        AwEHoUQDQgAEhOgHvdWBDtbLto1+smrL5bXEtFyp+IMQdmP1G2dxfNTMNxPnFri0
        +gKuKtiVxUQBbax2A1WIWumwSqUAzT8WWQ==
        -----END EC PRIVATE KEY-----
        """

    package static let ed25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIL8y4uxDqGKSYkMPTtSX1hrdYVoy8zX7slzenWZzNkks
        -----END PRIVATE KEY-----
        """

    package static let rsa2048 = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDm5AM2j9GUsU+0
        iZwMoAfUJHL1g2ooO9DYjFUxL5m+sYy6xvPiDKMY01d6mRw/O8swF0FVgyulAJUz
        +WrRzNzAaIsblCbodz1QuT4w7gf0XnOJAbk7bRmV0IL5ngoM3X41DimmvlD0wfxV
        Q1QV8ab08Qmy/bFcDHX4Vlt2L8+E+q08IxTvuzpVZG8PQycVCyTX8efrvKkevNms
        DEv+kHzCOg4HZ0tnQRY07TrM79TbXcDQIgxMqYN5CtR60AOgHPvxbxri5u+CWcx6
        grmP0C8PwJw68BdX1ha3g5t/lzhyl/JiShgAzO4N629g0DECq74yXBqA7FkY9cp9
        9nZCcmo5AgMBAAECggEARWfwUVP9P9HnMFGXb7IheFN2nTfiTvLgLmBM8aqp8Elm
        EPVidaav1nQdXVSuSZHbW/r5oE98bK7WqxeEVUncaBhlDKbF5WaGr3/n4oSDLqG/
        4ET83hDHOqJB5PBte/2PBTrbKW0XX+P6StUg7zHDqujULhKV4KI8SikHeGkZ3BJ+
        hpffHB0pmpnJoH2mTPlPVuMhYxT16aMKT11FMUJHhYfUPuFQLNQftK/7/wZU58Tx
        OwgKnpwpkH9TPfg/mOBZ0wDYw5+GHGkfOdtQlnQg4xCPCQSoZyBz7mnbpd6Rrf8J
        1MpErKZo5WxOp6QS6elgwNo8D++bJ9prcIOBXrzISwKBgQD7RroVhpJwwhU9X4Yq
        p/dQnuh+o1EDvQL31Ypy7e5akBsWdJitOZRMTzeTY+v7/BcE9Y+nN5W9mWKi/17a
        hrOd8MmlXEj8X+j2oJwDz/JHz2ZCAD9Gt0oUsdex5rMOTBDgGr4p0ggMpi5bkioz
        rnHymyRrA3lKHZ+EMp4MnK80nwKBgQDrOy3w7bGzvbf3b0FlrJf14FEKV3UMNOo0
        CVWjunDIcCcQzLx6CeJLH970ctQD1LuxD+eV4ARC+h82010Tl3Jjq4k35j2PLlPq
        AzeM0CIbhq/XtD1W6oOWLod+jSKEwSQWWwLe0VE9sewNQ96h3eL+6OvS/TJ2EYSO
        uh//h87aJwKBgGdfHFSYrQvoPDaoYpiPywWGqhzW8RA5pMvyNGe9jE4DdLFTPDAf
        POv7tuBSvhVHCu1GXFetXVPHkzV9GzeJLMFv+nSlt3zjtAIp5qUG2iRCpU3HrkBY
        TQigdRzBzK24C0U2mz63IgqaHv4a7nOec1AcFOpVXoNoFmSbMjv8BXP/AoGAE0rc
        PrlP7LzvnKSMSYl5QRovq1h26hRg7PmjA3WkEFxaZ99SyfOLkru/bm8IgnPtHN2A
        EeO4lcGr07RMGvI92HzWGTaR7+9NxJCU+sCLO5S1UUygB0PenO+d/zwWC6tHiWnX
        d2zVa+juwjvBw6bOGjgCN2C6xcI0C/yp6Sw7Q9sCgYEAzMKkBds81Qbr/FyJeNK8
        V2xou49x6J6/d/K++qZ+Pb796CcAQfP1AN7HFIHCWbXr11F1Xx0ORnn7R5xR6kQU
        +PhnmC1u4zRHqRZy6ey5llJKmO/+BwCctUxV+ktFdDNTGp93ItgXyt3KUcGhguX8
        wN8/GRLsyybM56EWLXqJDcI=
        -----END PRIVATE KEY-----
        """

    /// The same key in the PKCS #1 format.
    package static let rsa2048PKCS1 = """
        -----BEGIN RSA PRIVATE KEY-----
        MIIEowIBAAKCAQEA5uQDNo/RlLFPtImcDKAH1CRy9YNqKDvQ2IxVMS+ZvrGMusbz
        4gyjGNNXepkcPzvLMBdBVYMrpQCVM/lq0czcwGiLG5Qm6Hc9ULk+MO4H9F5ziQG5
        O20ZldCC+Z4KDN1+NQ4ppr5Q9MH8VUNUFfGm9PEJsv2xXAx1+FZbdi/PhPqtPCMU
        77s6VWRvD0MnFQsk1/Hn67ypHrzZrAxL/pB8wjoOB2dLZ0EWNO06zO/U213A0CIM
        TKmDeQrUetADoBz78W8a4ubvglnMeoK5j9AvD8CcOvAXV9YWt4Obf5c4cpfyYkoY
        AMzuDetvYNAxAqu+MlwagOxZGPXKffZ2QnJqOQIDAQABAoIBAEVn8FFT/T/R5zBR
        l2+yIXhTdp034k7y4C5gTPGqqfBJZhD1YnWmr9Z0HV1UrkmR21v6+aBPfGyu1qsX
        hFVJ3GgYZQymxeVmhq9/5+KEgy6hv+BE/N4QxzqiQeTwbXv9jwU62yltF1/j+krV
        IO8xw6ro1C4SleCiPEopB3hpGdwSfoaX3xwdKZqZyaB9pkz5T1bjIWMU9emjCk9d
        RTFCR4WH1D7hUCzUH7Sv+/8GVOfE8TsICp6cKZB/Uz34P5jgWdMA2MOfhhxpHznb
        UJZ0IOMQjwkEqGcgc+5p26Xeka3/CdTKRKymaOVsTqekEunpYMDaPA/vmyfaa3CD
        gV68yEsCgYEA+0a6FYaScMIVPV+GKqf3UJ7ofqNRA70C99WKcu3uWpAbFnSYrTmU
        TE83k2Pr+/wXBPWPpzeVvZliov9e2oaznfDJpVxI/F/o9qCcA8/yR89mQgA/RrdK
        FLHXseazDkwQ4Bq+KdIIDKYuW5IqM65x8pskawN5Sh2fhDKeDJyvNJ8CgYEA6zst
        8O2xs723929BZayX9eBRCld1DDTqNAlVo7pwyHAnEMy8egniSx/e9HLUA9S7sQ/n
        leAEQvofNtNdE5dyY6uJN+Y9jy5T6gM3jNAiG4av17Q9VuqDli6Hfo0ihMEkFlsC
        3tFRPbHsDUPeod3i/ujr0v0ydhGEjrof/4fO2icCgYBnXxxUmK0L6Dw2qGKYj8sF
        hqoc1vEQOaTL8jRnvYxOA3SxUzwwHzzr+7bgUr4VRwrtRlxXrV1Tx5M1fRs3iSzB
        b/p0pbd847QCKealBtokQqVNx65AWE0IoHUcwcytuAtFNps+tyIKmh7+Gu5znnNQ
        HBTqVV6DaBZkmzI7/AVz/wKBgBNK3D65T+y875ykjEmJeUEaL6tYduoUYOz5owN1
        pBBcWmffUsnzi5K7v25vCIJz7RzdgBHjuJXBq9O0TBryPdh81hk2ke/vTcSQlPrA
        izuUtVFMoAdD3pzvnf88FgurR4lp13ds1Wvo7sI7wcOmzho4AjdgusXCNAv8qeks
        O0PbAoGBAMzCpAXbPNUG6/xciXjSvFdsaLuPceiev3fyvvqmfj2+/egnAEHz9QDe
        xxSBwlm169dRdV8dDkZ5+0ecUepEFPj4Z5gtbuM0R6kWcunsuZZSSpjv/gcAnLVM
        VfpLRXQzUxqfdyLYF8rdylHBoYLl/MDfPxkS7MsmzOehFi16iQ3C
        -----END RSA PRIVATE KEY-----
        """

    package static let rsa1024 = """
        -----BEGIN PRIVATE KEY-----
        MIICdgIBADANBgkqhkiG9w0BAQEFAASCAmAwggJcAgEAAoGBALwpPEOFH9DLzlXS
        Il2Pr4oTmU71z4U+dfDUblrTxi4l2Cu5wAtp7lw6MFvJL4Hhkdm35hFicJSnNlmj
        CDNp/yHz7IdeDN0oLRSlpzHTKKIfcwhDu6CUmSVdqpo+QumHFg4nPGT7RboHAgMW
        MecO8Hsx2LVzsFzBI/fG6XQCSpMHAgMBAAECgYBJdkP8DJaeW2Pkp9UY+EdNvlcl
        t9zcpcVAUIABYBtI2yep8qyjCCmywlktDMBKkjnyadUeRnOz5hDXMEq8YA7mlBYv
        0kiMezqKji84mdQ8DOMz7gNhiP3rwgCQS1C3k+EOzDtNEKex4ZnfWdhY/cWots15
        WJbD2QwatWlSCSieiQJBAOYoIs0E9MvvM/aq9ALEgrLF97YNlbLJh1CgpFGoaQ8z
        cUrd+1ezyq0w4DrfoDa/igoMj5KaN0nD/U3bNlXU5q0CQQDRSe57Wy6rEk7FrdgD
        B0lstBmdqjR/3eCLo9X4HoeqfprtS+FZpRlt47xwAomyfttR21/MS3qkNUoHMpCc
        ajsDAkBVp348GqoX82+9TyX8mbGiYrarlCawIPww73f3w9tFgvmYyUAvBYRaLCRn
        BK6VcXcoAkC0aJxG4Z+1h+2Sx+cJAkBSjcIXQHlhG4Cc8xzg3O/2g/gSu/+nbGLV
        UhPlok1LUFNWRPcoADrOoOVEnYupL+bdHBZmpGNFAIwp2KU4PaL3AkEA3S8JjHm0
        CQo0WKf0hRP2v0MY9obhwIEY4DrJMwDqETJwfLHIUzVgr51BwLXm6tm9DG/sIxiO
        fND01fkLcl9P2w==
        -----END PRIVATE KEY-----
        """

    package static let rsaPSS = """
        -----BEGIN PRIVATE KEY-----
        MIICdQIBADALBgkqhkiG9w0BAQoEggJhMIICXQIBAAKBgQDN4lKa5ZP7H3vK8WhI
        32nyZmqEXQQ2fmBoN0oNCVBO+oE9fTGAAxOeZqM2MncGUfc6wkl5MLnFz2rAtktG
        FGRRFqTFKt3XIxwWkjYW40418g5spC/DP2S9NI4rizwSvI0PxN6Hhyx+nIpuxmfr
        3cX6maZVN2gU55phqMYdmQpMswIDAQABAoGBAKtXF+H6/811JSP/BgfnjpeB7lGb
        y57CS99PbBwvTRt9VMNkhiZ/6PrhdiDrnKyw2CyZdmYaS/C4rqIU085NuDFZPAYJ
        rB9/NbajFbGugWs4k8NE0srYcFV+O6gpF1EIkEOgvPfK79iM+1BRLsvQpO5XxlCV
        Gk6Yo6ms2z8I6BXpAkEA8GqAt3RHPS5lOS36K5vdS8pyVefjmb6E+SpRN2RUtLhi
        BtyldD/o8309aV92Iial5QymNKlix4Bp4upfoVtODwJBANs6yrOyXZR30fciHwQ8
        k9i96W8Og2VK+8dpjJYvqhedRe00XvSUuuMUoYbeG8aXwVoxCk0yePEtWMQfP2L7
        Ox0CQQDbo2EeuPNQWK+PUorIBmhhEn3sL6LGVcEj5V43bcjZJc4gmLnrf2ux70wI
        lXbWclqC7FB3sfwVaSLTdO2S+1hPAkBSg6dlyV21kv/BT+NyucZADwL8nO7Rwk5P
        +SdEI/6WUsjOBiczUYOiEtLVK2Yy8k2BP/ILqlKhHBtL/iLig4L1AkA+dUkNE4m2
        47+n+QOXeRiUVSi2Lc1tWbU+Rt7PeHyDTZ9id/ad8i9Fhq+TqRzogLzvF0SlQorQ
        0pwRH7Q07J94
        -----END PRIVATE KEY-----
        """

    package static let p384 = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDBdWU4158k4rlDVYbhw
        fTyaebZdVAmTvMsVrmxWUtcdEAr9EOFxhkG/DNMYmpq/onqhZANiAAQO9QFBBJUv
        CV+LzGBSo9GbqASjWFX9pVoSJi4lesXaFU2oiHsGs67VI6m/akK1KM1MYWE3O4LQ
        fSq3HJql+BPf7PtyM1X39+RmI9XmJbjwooJC+IfJCh/QEnG4owcj9FQ=
        -----END PRIVATE KEY-----
        """

    package static let secp256k1 = """
        -----BEGIN PRIVATE KEY-----
        MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQg0RlPNLcbMmfPxmQEsqic
        KDcvF38ZimFhSy7oRQQD5/ShRANCAARrBe1fc2eXD7DLPN5vTKyVK5KTFhtDW0GF
        qmLU0rLdzyvskq4HNr/eNOpf1wqJAj/ioBkPIVh2aXVDvva83rE9
        -----END PRIVATE KEY-----
        """

    package static let x25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VuBCIEIPjd/iknSm0nypR+GYIDw0ODjfDR0B2txSvp+nMvlyF4
        -----END PRIVATE KEY-----
        """

    package static let ed448 = """
        -----BEGIN PRIVATE KEY-----
        MEcCAQAwBQYDK2VxBDsEOTcCjAb1zw44QYNZRVGTNuTOBxttJkBWOfmF5q4NrPgB
        WXvGeSxKDngJ23zgTMJwt8nGIqL0sdoJbA==
        -----END PRIVATE KEY-----
        """

    package static let p256Encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHrMFYGCSqGSIb3DQEFDTBJMCgGCSqGSIb3DQEFDDAbBAj2i/yoFE06bAIBATAM
        BggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQe7Fwim1lzQpXIj11AUn+egSBkNob
        cLmVzzzEvhSohRcJCtU1cJZuV5YkPVhhTim3Z9F+Yq2anrKOUvvNrSO7D/tFMxVq
        tkhl1uurp+c8M2lc+795fURRxpsBnJJ/XOHoBNnZPd538fF2oPoYD5Wgdqk3/WpR
        IgX4cg3o3AIfvXF5aVLrEgGq/Y+mWKv8dUpwrQm3SgITyuaaLkkPFJmj487zUg==
        -----END ENCRYPTED PRIVATE KEY-----
        """

    package static let p256EncryptedSEC1 = """
        -----BEGIN EC PRIVATE KEY-----
        Proc-Type: 4,ENCRYPTED
        DEK-Info: AES-128-CBC,5FA32E1923D35B55B1D4E540904C4211

        h9E7UmeAigo3MKW4NqAJhXVVM9Q51QIaw3wNelW8SkIUu2VslOaLgGAUGK7aBuc5
        5LrnrxjHTvzR8Y3d0y7DjbSckyW+gfqAbqvg/i2W4XiuSFOPuBQpPe/gZViVN8Lc
        TfGHHijYGLpkITueip7Z3ear4ZpOVsDdACFXT6Iy4EI=
        -----END EC PRIVATE KEY-----
        """

    /// Encrypted with an empty passphrase.
    package static let p256EncryptedWithNothing = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHrMFYGCSqGSIb3DQEFDTBJMCgGCSqGSIb3DQEFDDAbBAipGW7QiZqzuAIBATAM
        BggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQX0Krc7Z9fmSCqT+yehdpvASBkGe4
        Nsj6RNyZf8uYTG+3ph4/niODyfDN/h7CgGeOz/1CJL7qTuocFw8Lh06ckKdEPXlg
        lCuNLJqikKqNmI+uKFxU07qWnLgn0yztdyJUMlF0thbMSzU+Fk0Vp7it1wcmqS4Q
        ZFtIrU6E0bFZU67aYReXt90aQbJAT5K9JlwvTWt8YU2q86j6MzFNR58csFiL8Q==
        -----END ENCRYPTED PRIVATE KEY-----
        """

    /// The public key of ``p256``.
    package static let p256Public = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEL7p6G3Pq4i/iCeIqCU+ePsP0jYjC
        M10lPfY0Zo772qavj34xsEwQSkfqN+W8UvRBnMZ28IrEq8RPgQXzmbD5oQ==
        -----END PUBLIC KEY-----
        """

    /// The private key of ``p256`` with the public key of another pair.
    package static let p256Mismatched = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgIjKLkSF211Q3MTP8
        Sam08pauJU3MMM/jF672DAMuocShRANCAARrtRIzlw/1cb4JgvqO5+aEHhvLTpcf
        JwZG71VdjiHTSGkvXA+5aXIGmk3fYPaP8O9t5KO7rR0N+PxySSGoQXgi
        -----END PRIVATE KEY-----
        """
}
