extension NumberingPlan {
    /// Calling codes that begin with 6.
    static let oceania = """
        AQ 672 6 1
        AU 61 9 2 3 4 7 8
        CC 61 9 89162
        CK 682 5
        CX 61 9 89164
        FJ 679 7
        FM 691 7
        KI 686 5-8
        MH 692 7
        NC 687 6
        NF 672 5-6 3
        NR 674 7
        NU 683 4-7
        NZ 64 8-10
        - 64 8-10 508 80 83 86 90
        PF 689 8
        PG 675 7-8
        PW 680 7
        SB 677 5-7
        TK 690 4-7
        TO 676 5-7
        TV 688 5-7
        VU 678 5-7
        WF 681 6
        WS 685 5-7
        """
}
