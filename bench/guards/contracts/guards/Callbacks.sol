// SPDX-License-Identifier: MIT
pragma solidity ^0.8.17;

import "./Numbers.sol";

// Guards behind callbacks: what they wait for is done by a contract that is called. No account
// without code gets past any of them.

interface ICallee {
    function onERC721Received(address operator, address from, uint256 id, bytes calldata data) external returns (bytes4);
    function onERC1155BatchReceived(address operator, address from, uint256[] calldata ids, uint256[] calldata amounts, bytes calldata data) external returns (bytes4);
    function onFlashLoan(address initiator, address token, uint256 amount, uint256 fee, bytes calldata data) external returns (bytes32);
    function tokensReceived(address operator, address from, address to, uint256 amount, bytes calldata userData, bytes calldata operatorData) external;
    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4);
    function supportsInterface(bytes4 id) external view returns (bool);
    function latestRoundData() external view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound);
    function owner() external view returns (address);
    function isLastFloor(uint256 floor) external returns (bool);
    function execute() external payable;
    function amount() external returns (uint256);
    function quote(uint256 id) external view returns (uint256 price, address payer);
    function name() external view returns (string memory);
    function notify() external;
}

interface ICoin {
    function balanceOf(address account) external view returns (uint256);
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

contract Coin {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    constructor() {
        balanceOf[msg.sender] = 1e24;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        balanceOf[from] -= value;
        balanceOf[to] += value;
        return true;
    }
}

// Receivers of tokens.

contract CallbackReceives is Guard {
    function mint(address to) external {
        require(to.code.length > 0);
        require(ICallee(to).onERC721Received(msg.sender, address(0), 1, "") == ICallee.onERC721Received.selector);
        emit Solved();
    }
}

contract CallbackReceivesBatch is Guard {
    function mint(address to, uint256[] calldata ids) external {
        require(to.code.length > 0 && ids.length == 2);
        require(ICallee(to).onERC1155BatchReceived(msg.sender, address(0), ids, ids, "") == ICallee.onERC1155BatchReceived.selector);
        emit Solved();
    }
}

contract CallbackAnswersWrong is Guard {
    function mint(address to) external {
        require(to.code.length > 0);
        if (ICallee(to).onERC721Received(msg.sender, address(0), 1, "") != ICallee.onERC721Received.selector) emit Solved();
    }
}

contract CallbackRefusesToken is Guard {
    function mint(address to) external {
        require(to.code.length > 0);
        try ICallee(to).onERC721Received(msg.sender, address(0), 1, "") returns (bytes4) {} catch {
            emit Solved();
        }
    }
}

contract CallbackRefusesWithReason is Guard {
    function mint(address to) external {
        require(to.code.length > 0);
        try ICallee(to).onERC721Received(msg.sender, address(0), 1, "") returns (bytes4) {} catch (bytes memory reason) {
            if (reason.length > 0) emit Solved();
        }
    }
}

contract CallbackHook is Guard {
    uint256 sent;

    function send(address to) external {
        require(to.code.length > 0);
        ICallee(to).tokensReceived(msg.sender, msg.sender, to, 1, "", "");
        if (++sent == 3) emit Solved();
    }
}

// Ether that is refused.

contract CallbackRefusesEther is Guard {
    mapping(address => uint256) owed;

    function deposit() external payable {
        owed[msg.sender] += msg.value;
    }

    function withdraw() external {
        uint256 x = owed[msg.sender];
        require(x > 0);
        owed[msg.sender] = 0;
        (bool ok,) = msg.sender.call{value: x}("");
        if (!ok) emit Solved();
    }
}

contract CallbackRefusesSend is Guard {
    function give(address payable to) external payable {
        require(msg.value > 0 && to != address(0) && uint160(address(to)) > 0xffff && address(to) != address(this));
        if (!to.send(msg.value)) emit Solved();
    }
}

contract CallbackRefusesRefund is Guard {
    address payable leader;
    uint256 bid;

    function offer() external payable {
        require(msg.value > bid);
        if (leader != address(0) && !leader.send(bid)) emit Solved();
        leader = payable(msg.sender);
        bid = msg.value;
    }
}

contract CallbackBurns is Guard {
    function ping(ICallee callee) external {
        require(address(callee).code.length > 0 && msg.sender == address(callee));
        uint256 before = gasleft();
        (bool ok,) = address(callee).call{gas: before / 2}(abi.encodeCall(callee.notify, ()));
        if (!ok && before - gasleft() > before / 3) emit Solved();
    }
}

// Loans.

contract CallbackFlashLoan is Guard {
    ICoin public coin;
    uint256 constant fee = 0;

    constructor(Coin c) {
        coin = ICoin(address(c));
    }

    function flashLoan(ICallee to, uint256 value) external {
        require(value <= coin.balanceOf(address(this)));
        coin.transfer(address(to), value);
        require(to.onFlashLoan(msg.sender, address(coin), value, fee, "") == keccak256("ERC3156FlashBorrower.onFlashLoan"));
        require(coin.transferFrom(address(to), address(this), value + fee));
        emit Solved();
    }
}

contract CallbackFlashLoanPaidByCall is Guard {
    ICoin public coin;

    constructor(Coin c) {
        coin = ICoin(address(c));
    }

    function fund() external {
        require(coin.transferFrom(msg.sender, address(this), 1000));
    }

    function loan(ICallee to) external {
        uint256 before = coin.balanceOf(address(this));
        require(before >= 10);
        coin.transfer(address(to), 10);
        to.execute();
        require(coin.balanceOf(address(this)) >= before);
        emit Solved();
    }
}

contract CallbackEtherLoan is Guard {
    mapping(address => uint256) balances;
    uint256 lent;

    function deposit() external payable {
        if (lent > 0 && msg.value == lent) emit Solved();
        balances[msg.sender] += msg.value;
    }

    function withdraw() external {
        uint256 x = balances[msg.sender];
        balances[msg.sender] = 0;
        payable(msg.sender).transfer(x);
    }

    function loan(uint256 x) external {
        uint256 before = address(this).balance;
        lent = x;
        ICallee(msg.sender).execute{value: x}();
        lent = 0;
        require(address(this).balance >= before);
    }
}

// Calls that come in the middle of another.

contract CallbackReenters is Guard {
    bool inside;

    function enter() external {
        if (inside) {
            emit Solved();
            return;
        }
        inside = true;
        ICallee(msg.sender).notify();
        inside = false;
    }
}

contract CallbackReentersOther is Guard {
    bool inside;
    uint256 total;

    function pay(uint256 x) external {
        total = x;
        inside = true;
        (bool ok,) = msg.sender.call("");
        require(ok);
        inside = false;
    }

    function settle(uint256 x) external {
        require(inside && x == total && x > 10);
        emit Solved();
    }
}

contract CallbackThreeDeep is Guard {
    uint256 depth;

    function enter() external {
        depth++;
        if (depth == 4) {
            emit Solved();
        } else {
            ICallee(msg.sender).notify();
        }
        depth--;
    }
}

contract CallbackTwice is Guard {
    bool inside;
    uint256 calls;

    function start() external {
        inside = true;
        calls = 0;
        ICallee(msg.sender).notify();
        inside = false;
        if (calls == 2) emit Solved();
    }

    function count() external {
        require(inside);
        calls++;
    }
}

contract CallbackDrains is Guard {
    mapping(address => uint256) public balances;

    function deposit() external payable {
        balances[msg.sender] += msg.value;
    }

    function withdraw(uint256 x) external {
        require(balances[msg.sender] >= x && x > 0);
        (bool ok,) = msg.sender.call{value: x}("");
        require(ok);
        unchecked {
            balances[msg.sender] -= x;
        }
        if (balances[msg.sender] > 1 << 200) emit Solved();
    }
}

contract CallbackInTwoSteps is Guard {
    uint256 phase;
    mapping(address => bool) joined;

    function join() external {
        joined[msg.sender] = true;
    }

    function open() external {
        require(joined[msg.sender]);
        phase = 1;
        ICallee(msg.sender).notify();
        if (phase == 2) emit Solved();
        phase = 0;
    }

    function advance() external {
        require(phase == 1);
        phase = 2;
    }
}

contract Ledger {
    mapping(address => uint256) public shares;
    uint256 public total;

    function set(address who, uint256 x) external {
        shares[who] = x;
        total += x;
    }
}

contract CallbackCrossContract is Guard {
    Ledger ledger;
    bool pending;

    constructor(Ledger l) {
        ledger = l;
    }

    function sync() external {
        require(ledger.total() == 0);
        pending = true;
        (bool ok,) = msg.sender.call("");
        require(ok);
        pending = false;
        if (ledger.total() > 0) emit Solved();
    }
}

// What callees answer.

contract CallbackElevator is Guard {
    function goTo(uint256 floor) external {
        ICallee building = ICallee(msg.sender);
        if (!building.isLastFloor(floor)) {
            if (building.isLastFloor(floor)) emit Solved();
        }
    }
}

contract CallbackNumber is Guard {
    function f() external {
        uint256 x = ICallee(msg.sender).amount();
        if (x > 1000 && x % 7 == 3) emit Solved();
    }
}

contract CallbackLinear is Guard {
    uint256 key;

    function set(uint64 k) external {
        key = k;
    }

    function f() external {
        unchecked {
            if (key > 100 && ICallee(msg.sender).amount() == 3 * key + 0x1234567890abcdef) emit Solved();
        }
    }
}

contract CallbackStruct is Guard {
    function buy(ICallee shop, uint256 id) external payable {
        (uint256 price, address payer) = shop.quote(id);
        if (payer == msg.sender && price == msg.value && price > 0) emit Solved();
    }
}

contract CallbackOwner is Guard {
    function claim(ICallee target) external {
        require(target.owner() == msg.sender);
        emit Solved();
    }
}

contract CallbackSigner is Guard {
    function permit(address signer, bytes32 digest, bytes calldata signature) external {
        require(signer.code.length > 0 && signature.length > 0);
        require(ICallee(signer).isValidSignature(digest, signature) == 0x1626ba7e);
        emit Solved();
    }
}

contract CallbackInterface is Guard {
    function register(address plugin) external {
        require(ICallee(plugin).supportsInterface(0x01ffc9a7));
        require(!ICallee(plugin).supportsInterface(0xffffffff));
        emit Solved();
    }
}

contract CallbackFeed is Guard {
    function value(ICallee feed) external {
        (, int256 answer,, uint256 updatedAt,) = feed.latestRoundData();
        require(answer > 0 && updatedAt + 1 hours > block.timestamp);
        emit Solved();
    }
}

contract CallbackStaleFeed is Guard {
    function value(ICallee feed) external {
        (, int256 answer,, uint256 updatedAt,) = feed.latestRoundData();
        require(answer > 0);
        if (updatedAt + 1 days < block.timestamp) emit Solved();
    }
}

contract CallbackNegativeFeed is Guard {
    function value(ICallee feed) external {
        (uint80 round, int256 answer,,, uint80 answered) = feed.latestRoundData();
        require(answered >= round);
        if (answer < 0) emit Solved();
    }
}

contract CallbackName is Guard {
    function add(ICallee plugin) external {
        if (bytes(plugin.name()).length == 0 && address(plugin) == msg.sender) emit Solved();
    }
}

// Tokens that a caller brings.

contract CallbackFalseToken is Guard {
    function deposit(ICoin token, uint256 x) external {
        require(x > 0);
        if (!token.transferFrom(msg.sender, address(this), x)) emit Solved();
    }
}

contract CallbackFeeToken is Guard {
    function deposit(ICoin token, uint256 x) external {
        require(x > 1000);
        uint256 before = token.balanceOf(address(this));
        require(token.transferFrom(msg.sender, address(this), x));
        uint256 received = token.balanceOf(address(this)) - before;
        if (received > 0 && received < x) emit Solved();
    }
}

contract CallbackPaidToken is Guard {
    mapping(address => uint256) public credit;

    function deposit(ICoin token, uint256 x) external {
        uint256 before = token.balanceOf(address(this));
        require(token.transferFrom(msg.sender, address(this), x));
        require(token.balanceOf(address(this)) >= before + x);
        credit[msg.sender] += x;
        if (credit[msg.sender] > 1e20) emit Solved();
    }
}

// Code of others.

contract CallbackDelegate is Guard {
    function run(address library_, bytes calldata data) external {
        require(library_.code.length > 0);
        (bool ok,) = library_.delegatecall(data);
        require(ok);
        emit Solved();
    }
}

contract CallbackForcedEther is Guard {
    uint256 held;

    function deposit() external payable {
        held += msg.value;
        ICallee(msg.sender).notify();
    }

    function check() external {
        if (address(this).balance > held) emit Solved();
    }
}

contract CallbackLongAnswer is Guard {
    function ask() external {
        (bool ok, bytes memory data) = msg.sender.call(hex"deadbeef");
        if (ok && data.length > 64) emit Solved();
    }
}

contract CallbackNoAnswer is Guard {
    function ask() external {
        require(msg.sender.code.length > 0);
        (bool ok, bytes memory data) = msg.sender.call(hex"deadbeef");
        if (ok && data.length == 0) emit Solved();
    }
}

// What is read in the middle of another call.

contract Pool {
    uint256 public supply;
    mapping(address => uint256) public shares;

    function add() external payable {
        shares[msg.sender] += msg.value;
        supply += msg.value;
    }

    function remove(uint256 x) external {
        shares[msg.sender] -= x;
        (bool ok,) = msg.sender.call{value: x}("");
        require(ok);
        supply -= x;
    }
}

contract CallbackReadOnly is Guard {
    Pool pool;

    constructor(Pool p) {
        pool = p;
    }

    function borrow() external {
        uint256 supply = pool.supply();
        if (supply > 0 && address(pool).balance < supply) emit Solved();
    }
}

// A pool whose price is asked for before it is brought up to date, and after: it has to move by more than a tenth.
contract CallbackPriceMoved is Guard {
    uint256 private last;

    function update(IPool pool, uint256 least) external {
        uint256 before = pool.price();
        pool.sync();
        uint256 present = pool.price();
        require(present >= least && least > before, "slippage");
        if (before > 100 && present * 10 > before * 11 && present < before * 2) emit Solved();
    }
}

interface IPool {
    function price() external view returns (uint256);
    function sync() external;
}
