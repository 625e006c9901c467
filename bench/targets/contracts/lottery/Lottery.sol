// SPDX-License-Identifier: MIT
pragma solidity 0.8.17;

/// @title A lottery with tickets, a draw by block hash and claims in time
contract Lottery {
    uint256 public constant PRICE = 0.01 ether;

    struct Round {
        uint64 closes;
        uint64 drawBlock;
        uint32 tickets;
        uint8 winning;
        bool drawn;
        uint256 pot;
        uint256 claimed;
    }

    Round[] public rounds;
    mapping(uint256 => mapping(address => uint8[])) private picks;
    mapping(address => uint256) public bonus;
    uint256 public jackpot;
    address public host;

    constructor() {
        host = msg.sender;
        rounds.push();
        rounds[0].closes = uint64(block.timestamp + 1 days);
    }

    function current() public view returns (uint256) {
        return rounds.length - 1;
    }

    function play(uint8[] calldata numbers) external payable {
        Round storage r = rounds[current()];
        require(block.timestamp < r.closes, "closed");
        require(numbers.length > 0 && numbers.length <= 10, "how many");
        require(msg.value == PRICE * numbers.length, "price");
        for (uint256 i = 0; i < numbers.length; i++) {
            require(numbers[i] < 50, "number");
            for (uint256 j = 0; j < i; j++) {
                require(numbers[i] != numbers[j], "twice");
            }
            picks[current()][msg.sender].push(numbers[i]);
        }
        r.tickets += uint32(numbers.length);
        r.pot += msg.value;
        if (numbers.length >= 5) {
            bonus[msg.sender]++;
        }
    }

    function close() external {
        Round storage r = rounds[current()];
        require(block.timestamp >= r.closes, "open");
        require(r.drawBlock == 0, "closed");
        if (r.tickets == 0) {
            r.closes = uint64(block.timestamp + 1 days);
            return;
        }
        r.drawBlock = uint64(block.number + 2);
    }

    function draw() external {
        Round storage r = rounds[current()];
        require(r.drawBlock != 0 && block.number > r.drawBlock, "not yet");
        require(!r.drawn, "drawn");
        if (block.number > r.drawBlock + 250) {
            r.drawBlock = uint64(block.number + 2); // too late, again
            return;
        }
        r.winning = uint8(uint256(keccak256(abi.encode(r.drawBlock, r.tickets, r.pot))) % 50);
        r.drawn = true;
        uint256 fee = r.pot / 20;
        jackpot += fee;
        r.pot -= fee;
        rounds.push();
        rounds[current()].closes = uint64(block.timestamp + 1 days);
    }

    function claim(uint256 id) external {
        Round storage r = rounds[id];
        require(r.drawn, "not drawn");
        uint8[] storage mine = picks[id][msg.sender];
        require(mine.length > 0, "no tickets");
        uint256 hits = 0;
        for (uint256 i = 0; i < mine.length; i++) {
            if (mine[i] == r.winning) {
                hits++;
            }
        }
        delete picks[id][msg.sender];
        if (hits == 0) {
            return;
        }
        uint256 prize = r.pot / 2;
        if (hits > 1 || bonus[msg.sender] > 1) {
            prize += jackpot / 2;
            jackpot -= jackpot / 2;
            bonus[msg.sender] = 0;
        }
        r.pot -= r.pot / 2;
        r.claimed += prize;
        payable(msg.sender).transfer(prize);
    }

    function collect(uint256 id) external {
        require(msg.sender == host, "host");
        Round storage r = rounds[id];
        require(r.drawn && block.timestamp > r.closes + 30 days, "early");
        require(r.pot > 0, "empty");
        uint256 rest = r.pot;
        r.pot = 0;
        if (r.claimed == 0) {
            jackpot += rest;
            return;
        }
        payable(host).transfer(rest);
    }
}
