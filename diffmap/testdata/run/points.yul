// As common.sol, in Yul alone. The words of a call's data are a and b.
object "Run" {
    code {
        p(1)
        let size := datasize("runtime")
        datacopy(0, dataoffset("runtime"), size)
        return(0, size)

        function p(k) { mstore(0, k) log0(0, 32) }
    }
    object "runtime" {
        code {
            p(10)
            let a := calldataload(0)
            let b := calldataload(32)
            let c := or(
                v(11),
                b)
            if a { p(12) }
            if eq(a, 1) {
                p(13)
                p(14)
            }
            switch a
            case 0 { p(20) }
            case 1 {
                p(21)
            }
            case 2 { }
            case 3 {
                switch b
                case 0 { p(22) }
                case 1 {
                    p(23)
                }
                p(24)
            }
            case 4 { f(b) }
            case 5 { p(25) stopping() }
            case 6 {
                sstore(add(b, 1),
                    v(26))
            }
            default {
                p(27)
            }
            switch b
            default {
                p(28)
            }
            switch b
            case 2 { p(29) }

            function f(x) {
                p(30)
                if x { leave }
                p(31)
            }

            function stopping() {
                p(32)
                if gt(calldataload(32), 1) {
                    p(33)
                    stop()
                }
                p(34)
            }

            for { let i := v(40) i := 0 } lt(i, b) { p(41) i := add(i, 1) } {
                p(42)
                if eq(i, a) {
                    p(43)
                    break
                }
                if eq(add(i, 1), a) {
                    p(44)
                    continue
                }
                p(45)
                for { } 1 { } {
                    p(46)
                    break
                }
            }
            {
                let d := v(47)
                d := v(48)
                let e, g := two(d)
                if gt(g, 1) { p(49) }
                pop(e)
            }

            function two(x) -> y, z {
                y := v(50)
                z := x
                function inner() {
                    p(51)
                }
                if eq(calldataload(0), 7) {
                    inner()
                    leave
                }
                z := 0
                p(52)
            }

            function p(k) { mstore(0, k) log0(0, 32) }

            function v(k) -> r {
                p(k)
                r := k
            }

            // a revert undoes no log that the test sees
            if gt(a, 8) { p(53) revert(0, 0) }
            p(54)
            if gt(b, 2) { p(55) invalid() }
        }
    }
}
