// solc: 0.7.6 0.5.17 0.4.26
// run: order(5,4)
// run: local(5)
// run: length(2)
// run: between(3)
// run: result(9)
// run: both(1,0)
// run: loop(3)
contract Statements {
    uint256[] list;
    uint256 total;

    function order(uint256 a, uint256 b) public {
        assert(a < b); // want assert fails (INVALID)
        total = a;
    }

    function local(uint256 a) public {
        uint256 b = a * 2;
        assert(b < a); // want assert fails (INVALID)
        b += a;
        a = b;
        total = b;
    }

    function length(uint256 i) public {
        assert(i < list.length); // want assert fails (INVALID)
        list[i] = 1;
    }

    function between(uint256 a) public returns (uint256) {
        assert(a != 3); // want assert fails (INVALID)
        return list[a] / a;
    }

    function result(uint256 a) public returns (uint256 b) {
        b = a + 1;
        assert(b < a); // want assert fails (INVALID)
    }

    function both(uint256 a, uint256 b) public {
        assert(a == 1 && b == 1 || total == 7); // want assert fails (INVALID)
        (a, b) = (b, a);
        total = a - b;
    }

    function loop(uint256 n) public {
        for (uint256 i = 0; i < n; i++) {
            assert(i != 2); // want assert fails (INVALID)
        }
    }
}
