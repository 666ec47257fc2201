// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// Keeps bales by their owner.
contract Barn {
    mapping(address owner => uint256 bales) public balesOf;

    function store(uint256 bales) external {
        balesOf[msg.sender] += bales;
    }

    function take(uint256 bales) external {
        balesOf[msg.sender] -= bales;
    }
}
