// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

// What an attacker's contract does when it is called: what its storage says, which it sets before
// each call of a sequence as a transaction of its own would. script.go says what is where.
//
// Every answer is run by the EVM: nothing here is known to a machine.
contract Attacker {
    // Where it is in every World: code that runs elsewhere was called by DELEGATECALL.
    address constant SELF = 0x9539d68C3fc7e457C003045f3fFbAd820aA49875;
    // A storage slot that no contract has a reason to use.
    uint256 constant MARKED = 0xd3142db4776163f2f83e8a2c24a454620c0edcb5cffb031587d0ddfb1ec72d61;
    // Stands for the time of the block among the words of an answer.
    uint256 constant NOW = 0x4e038a180211d568e9b146f21f75852b0552942391a4c77740d873d2589d1c2b;

    fallback() external payable {
        address self = SELF;
        uint256 marked = MARKED;
        uint256 present = NOW;
        assembly {
            // In the name of another contract: it writes where it likes, and takes the ether.
            if iszero(eq(address(), self)) {
                sstore(marked, 1)
                if selfbalance() { pop(call(gas(), self, selfbalance(), 0, 0, 0, 0)) }
                calldatacopy(0, 0, calldatasize())
                pop(staticcall(gas(), self, 0, calldatasize(), 0, 0))
                returndatacopy(0, 0, returndatasize())
                return(0, returndatasize())
            }

            // Ether: what comes with 2,300 gas (transfer, send) is too little to look further.
            let n := sload(0)
            if iszero(calldatasize()) {
                if iszero(n) { stop() }
                if lt(gas(), 2300) {
                    if shr(8, n) { revert(0, 0) }
                    stop()
                }
            }
            n := and(n, 0xff)

            let selector := 0
            if gt(calldatasize(), 3) { selector := shr(224, calldataload(0)) }
            for { let i := 1 } iszero(gt(i, n)) { i := add(i, 1) } {
                let at := shl(16, i)
                let head := sload(at)
                let times := and(shr(8, head), 0xff)
                if iszero(and(shr(48, head), 1)) {
                    if iszero(eq(shr(224, head), selector)) { continue }
                }
                let behind := and(shr(56, head), 0xff)
                if behind { // only once another answer was given
                    if iszero(and(sload(shl(16, behind)), 0xff)) { continue }
                }
                if times {
                    if iszero(lt(and(head, 0xff), times)) { continue }
                    sstore(at, add(head, 1)) // used once more
                }

                // Calls of its own.
                let calls := and(shr(16, head), 0xff)
                for { let j := 1 } iszero(gt(j, calls)) { j := add(j, 1) } {
                    let from := add(at, shl(12, j))
                    let to := sload(from)
                    let size := shr(160, to)
                    for { let k := 0 } lt(k, size) { k := add(k, 32) } {
                        mstore(k, sload(add(add(from, 2), shr(5, k))))
                    }
                    pop(call(gas(), to, sload(add(from, 1)), 0, size, 0, 0))
                }

                // The end.
                let end := and(shr(24, head), 0xff)
                if iszero(end) { break }
                let size := and(shr(32, head), 0xffff)
                for { let k := 0 } lt(k, size) { k := add(k, 32) } {
                    mstore(k, sload(add(add(at, 0x8000), shr(5, k))))
                }
                switch end
                case 1 { return(0, size) }
                case 2 { revert(0, size) }
                case 3 { invalid() }
                default { selfdestruct(mload(0)) }
            }

            // What is expected of it.
            if iszero(selector) { return(0, 0) }
            if eq(selector, 0x01ffc9a7) { // EIP-165: 0xffffffff is no interface
                mstore(0, iszero(eq(shr(224, calldataload(4)), 0xffffffff)))
                return(0, 32)
            }
            let answer := add(shl(255, 1), shl(8, selector))
            let words := sload(answer)
            if iszero(words) { // not known: what receivers of tokens answer
                mstore(0, shl(224, selector))
                return(0, 32)
            }
            words := sub(words, 1)
            for { let k := 0 } lt(k, words) { k := add(k, 1) } {
                let word := sload(add(add(answer, 1), k))
                if eq(word, present) { word := timestamp() }
                mstore(shl(5, k), word)
            }
            return(0, shl(5, words))
        }
    }
}
