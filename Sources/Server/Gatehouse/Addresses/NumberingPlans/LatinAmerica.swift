extension NumberingPlan {
    /// Calling codes that begin with 5. Guadeloupe, Saint Barthélemy and Saint Martin have their mobile numbers in common,
    /// which count as those of Guadeloupe.
    static let latinAmerica = """
        AR 54 10-11 11 2 3 9
        BL 590 9 59027
        BO 591 8
        BQ 599 7 3 4 7
        BR 55 10-11
        - 55 10-11 30 50 80 90
        BZ 501 7
        CL 56 8-9
        - 56 8-9 600 700 800
        CO 57 10
        CR 506 8
        CU 53 6-8
        CW 599 7-8 6 9
        EC 593 8-9
        FK 500 5
        GF 594 9
        GP 590 9
        GT 502 8
        GY 592 7
        HN 504 8
        HT 509 8
        MF 590 9 59029 59051 59052 59087
        MQ 596 9
        MX 52 10
        - 52 10 500 700 800 900
        NI 505 8
        PA 507 7-8
        PE 51 8-9
        - 51 8-9 80
        PM 508 6-9
        PY 595 7-9
        SR 597 6-7
        SV 503 7-8
        UY 598 8
        VE 58 10
        - 58 10 50 80 90
        """
}
