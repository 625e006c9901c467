// SPDX-License-Identifier: MIT
pragma solidity 0.8.17;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Snapshot} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Snapshot.sol";
import {Pausable} from "@openzeppelin/contracts/security/Pausable.sol";
import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";

/// @title A token whose grants vest, with roles, snapshots and a pause
contract Grants is ERC20Snapshot, AccessControl, Pausable {
    using EnumerableSet for EnumerableSet.AddressSet;

    bytes32 public constant GRANTER = keccak256("GRANTER");

    struct Grant {
        uint128 amount;
        uint128 released;
        uint64 start;
        uint64 cliff;
        uint64 length;
        bool revocable;
    }

    mapping(address => Grant) public grants;
    EnumerableSet.AddressSet private holders;
    mapping(uint256 => mapping(address => bool)) public paid;
    uint256 public returned;
    string public note;

    constructor() ERC20("Grants", "GRT") {
        _grantRole(DEFAULT_ADMIN_ROLE, msg.sender);
        _mint(address(this), 1_000_000 ether);
    }

    function grant(address to, uint128 amount, uint64 cliff, uint64 length, bool revocable) external onlyRole(GRANTER) whenNotPaused {
        require(length >= cliff && length <= 1460 days, "length");
        require(grants[to].amount == 0, "has one");
        require(amount > 0 && amount <= balanceOf(address(this)), "amount");
        grants[to] = Grant(amount, 0, uint64(block.timestamp), cliff, length, revocable);
        holders.add(to);
    }

    function vested(address who) public view returns (uint256) {
        Grant memory g = grants[who];
        uint256 passed = block.timestamp - g.start;
        if (passed < g.cliff) {
            return 0;
        }
        if (passed >= g.length) {
            return g.amount;
        }
        return Math.mulDiv(g.amount, passed, g.length);
    }

    function release() external whenNotPaused returns (uint256 due) {
        Grant storage g = grants[msg.sender];
        require(g.amount > 0, "no grant");
        due = vested(msg.sender) - g.released;
        require(due > 0, "nothing yet");
        g.released += uint128(due);
        _transfer(address(this), msg.sender, due);
        if (g.released == g.amount) {
            delete grants[msg.sender];
            holders.remove(msg.sender);
        }
    }

    function revoke(address who) external onlyRole(GRANTER) {
        Grant storage g = grants[who];
        require(g.revocable, "not revocable");
        uint256 kept = vested(who);
        uint256 back = g.amount - kept;
        if (back == 0) {
            return;
        }
        if (kept > g.released) {
            _transfer(address(this), who, kept - g.released);
        }
        returned += back;
        delete grants[who];
        holders.remove(who);
    }

    function snapshot() external onlyRole(DEFAULT_ADMIN_ROLE) returns (uint256) {
        return _snapshot();
    }

    function dividend(uint256 id) external payable {
        uint256 held = balanceOfAt(msg.sender, id);
        require(held > 0, "held nothing");
        require(!paid[id][msg.sender], "paid");
        paid[id][msg.sender] = true;
        if (held * 100 > totalSupplyAt(id)) {
            note = Strings.toHexString(msg.sender);
        }
    }

    function setPaused(bool on) external onlyRole(DEFAULT_ADMIN_ROLE) {
        if (on) {
            _pause();
        } else {
            _unpause();
        }
    }

    function active() external view returns (uint256 n) {
        for (uint256 i = 0; i < holders.length(); i++) {
            if (vested(holders.at(i)) > grants[holders.at(i)].released) {
                n++;
            }
        }
    }
}
