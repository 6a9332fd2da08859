extension NumberingPlan {
    /// The countries that share the calling code 1, by their area codes. Those of no other row are of the United States.
    static let northAmerica = """
        AG 1 10 268
        AI 1 10 264
        AS 1 10 684
        BB 1 10 246
        BM 1 10 441
        BS 1 10 242
        CA 1 10 204 226 236 249 250 257 263 273 289 306 343 354 365 367 368 382 387 403 416 418 428 431 437 438 450 460
        CA 1 10 468 474 506 514 519 537 548 568 579 581 584 587 604 613 639 647 672 683 705 709 742 753 778 780 782 807
        CA 1 10 819 825 867 873 879 902 905 942
        DM 1 10 767
        DO 1 10 809 829 849
        GD 1 10 473
        GU 1 10 671
        JM 1 10 658 876
        KN 1 10 869
        KY 1 10 345
        LC 1 10 758
        MP 1 10 670
        MS 1 10 664
        PR 1 10 787 939
        SX 1 10 721
        TC 1 10 649
        TT 1 10 868
        US 1 10
        VC 1 10 784
        VG 1 10 284
        VI 1 10 340
        - 1 10 1 211 311 411 511 611 711 811 911 29 37 39 49 59 69 79 89 96 99
        - 1 10 456 500 521 522 523 524 525 526 527 528 529 532 533 535 538 542 543 544 545 546 547 549 550 552 553 554
        - 1 10 556 558 566 569 577 578 588 589 600 622 633 644 655 677 688 700 710
        - 1 10 800 822 833 844 855 866 877 880 881 882 883 884 885 886 887 888 889 900
        """

    /// Whether the exchange, which follows the area code, has subscribers. 976 is premium in every area code.
    ///
    /// - Parameter number: ten digits.
    static func isNorthAmericanSubscriber(_ number: String) -> Bool {
        let exchange = number.dropFirst(3).prefix(3)
        return !exchange.hasPrefix("0") && !exchange.hasPrefix("1") && !exchange.hasSuffix("11") && exchange != "976"
    }
}
