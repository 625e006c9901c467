pragma solidity ^0.8.20;

// What is traded is kept by the hash of all that it is: who uses a market names all of it again, as the call did that made it. In front
// of that, its rate and its limit have to be allowed by who is in charge; and then its asset is no contract in either call.
contract Markets {
    struct Terms {
        address asset;
        address rate;
        uint256 limit;
    }

    address immutable chief = msg.sender;
    mapping(address => bool) rates;
    mapping(uint256 => bool) limits;
    mapping(bytes32 => uint256) opened;
    mapping(bytes32 => mapping(address => uint256)) supplied;

    function allowRate(address rate) external {
        require(msg.sender == chief, "not chief");
        require(!rates[rate], "again");
        rates[rate] = true;
    }

    function allowLimit(uint256 limit) external {
        require(msg.sender == chief, "not chief");
        require(!limits[limit], "again");
        require(limit < 1e18, "too much");
        limits[limit] = true;
    }

    function open(Terms memory terms) external {
        bytes32 id = keccak256(abi.encode(terms));
        require(rates[terms.rate], "rate not allowed");
        require(limits[terms.limit], "limit not allowed");
        require(opened[id] == 0, "opened");
        opened[id] = block.timestamp; // target reached
    }

    function supply(Terms memory terms, uint256 amount) external {
        bytes32 id = keccak256(abi.encode(terms));
        require(opened[id] != 0, "no market");
        require(terms.asset.code.length > 0, "no contract"); // target reached
        require(amount > 0, "nothing"); // target reached
        supplied[id][msg.sender] += amount; // target reached
    }

    function withdraw(Terms memory terms, uint256 amount) external {
        bytes32 id = keccak256(abi.encode(terms));
        supplied[id][msg.sender] -= amount;
        require(amount > terms.limit, "little");
        delete opened[id]; // target reached
    }
}
