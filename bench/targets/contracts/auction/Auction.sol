// SPDX-License-Identifier: MIT
pragma solidity 0.8.17;

/// @title English auctions with a reserve price, late bids and withdrawals
contract Auction {
    enum Phase { None, Open, Settled, Failed }

    struct Lot {
        address seller;
        uint64 start;
        uint64 end;
        uint128 reserve;
        uint128 step;
        Phase phase;
        address leader;
        uint256 best;
        uint256 bids;
        uint256 extensions;
    }

    uint256 public constant WINDOW = 10 minutes;
    uint256 public constant FEE = 250; // of 10,000

    Lot[] private lots;
    mapping(address => uint256) public owed;
    mapping(address => uint256) public sold;
    address public keeper;
    uint256 public fees;

    event Extended(uint256 lot, uint64 end);
    event Settled(uint256 lot, address winner, uint256 price);

    constructor() {
        keeper = msg.sender;
    }

    function list(uint128 reserve, uint128 step, uint64 duration) external returns (uint256 id) {
        require(duration >= 1 hours && duration <= 30 days, "duration");
        require(step > 0, "step");
        Lot memory lot;
        lot.seller = msg.sender;
        lot.start = uint64(block.timestamp);
        lot.end = lot.start + duration;
        lot.reserve = reserve;
        lot.step = step;
        lot.phase = Phase.Open;
        id = lots.length;
        lots.push(lot);
    }

    function bid(uint256 id) external payable {
        Lot storage lot = lots[id];
        require(lot.phase == Phase.Open, "phase");
        require(block.timestamp < lot.end, "late");
        require(msg.sender != lot.seller, "own lot");
        require(msg.value >= lot.best + lot.step, "too little");
        if (lot.leader != address(0)) {
            owed[lot.leader] += lot.best;
            if (lot.leader == msg.sender) {
                lot.step += lot.step / 10; // whoever bids against themselves pays for it
            }
        }
        lot.leader = msg.sender;
        lot.best = msg.value;
        lot.bids++;
        if (lot.end - block.timestamp < WINDOW) {
            lot.end = uint64(block.timestamp + WINDOW);
            lot.extensions++;
            if (lot.extensions >= 2) {
                lot.step *= 2;
            }
            emit Extended(id, lot.end);
        }
    }

    function settle(uint256 id) external {
        Lot storage lot = lots[id];
        require(lot.phase == Phase.Open, "phase");
        require(block.timestamp >= lot.end, "early");
        if (lot.bids == 0 || lot.best < lot.reserve) {
            lot.phase = Phase.Failed;
            if (lot.leader != address(0)) {
                owed[lot.leader] += lot.best;
                lot.best = 0;
            }
            return;
        }
        lot.phase = Phase.Settled;
        uint256 fee = lot.best * FEE / 10_000;
        if (sold[lot.seller] > 2) {
            fee /= 2;
        }
        fees += fee;
        sold[lot.seller]++;
        owed[lot.seller] += lot.best - fee;
        if (lot.bids >= 3 && lot.best > 10 * uint256(lot.reserve)) {
            fees += 1;
            owed[lot.seller] -= 1;
        }
        emit Settled(id, lot.leader, lot.best);
    }

    function settleAll(uint256[] calldata ids) external {
        uint256 settled = 0;
        for (uint256 i = 0; i < ids.length; i++) {
            Lot storage lot = lots[ids[i]];
            if (lot.phase != Phase.Open || block.timestamp < lot.end) {
                continue;
            }
            this.settle(ids[i]);
            settled++;
        }
        if (settled > 1) {
            owed[msg.sender] += 1;
        }
    }

    function withdraw() external {
        uint256 amount = owed[msg.sender];
        require(amount > 0, "nothing");
        owed[msg.sender] = 0;
        (bool ok, ) = msg.sender.call{value: amount}("");
        if (!ok) {
            owed[msg.sender] = amount;
        }
    }

    function sweep() external {
        require(msg.sender == keeper, "keeper");
        uint256 amount = fees;
        fees = 0;
        if (amount > 1 ether) {
            (bool ok, ) = keeper.call{value: amount}("");
            require(ok, "transfer");
        } else {
            fees = amount;
        }
    }
}
