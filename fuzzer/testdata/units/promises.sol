// What later calls name, earlier ones name by its hash.
contract Promises {
    mapping(bytes32 => bool) promised;
    mapping(uint256 => mapping(uint256 => uint256)) due;
    mapping(uint256 => bytes32) roots;
    uint256 public kept;

    function commit(bytes32 hash) external { promised[hash] = true; }
    function schedule(uint256 id, uint256 time) external { due[1][id] = time; }
    function scheduleFor(uint256 id, uint256 who) external { due[id][who] = 1; }
    function executeFor(uint256 a, uint256 who) external view {
        require(due[uint256(keccak256(abi.encode(a)))][who] > 0, "not scheduled");
    }
    function setRoot(uint256 round, bytes32 root) external { roots[round] = root; }
    function visit(bytes32 anything) external { kept += uint256(anything) & 1; }

    function keep(uint256 a, uint256 b) external {
        require(promised[keccak256(abi.encode(a, b))], "not promised");
        kept += b;
    }
    function execute(uint256 a) external {
        require(due[1][uint256(keccak256(abi.encode(a)))] > 0, "not scheduled");
        kept += a;
    }
    function claim(uint256 round, uint256 a) external {
        require(roots[round] != 0, "no root");
        require(roots[round] == keccak256(abi.encode(a)), "not in it");
        kept += a;
    }
}
