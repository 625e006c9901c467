// solc: 0.8.30 0.5.17
// run: grow(3); grow(9)
contract Bounded {
    uint256 size;

    modifier keepsBound() {
        _;
        require(size > 0, "no size");
        assert(size < 10); // want assert fails
    }

    function grow(uint256 by) external keepsBound {
        size += by;
    }
}
