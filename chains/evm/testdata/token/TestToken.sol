// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// An ERC-20 for tests, with what real tokens surprise with: any number of decimals, a blacklist, a fee on transfer,
/// transfers that answer false instead of reverting, several transfers in one transaction. Anyone may do anything.
contract TestToken is ERC20 {
    uint8 private immutable _decimals;
    mapping(address => bool) public blacklisted;
    uint256 public feeBps;
    address public feeCollector;
    bool public refusing;

    constructor(string memory symbol_, uint8 decimals_) ERC20(symbol_, symbol_) {
        _decimals = decimals_;
    }

    function decimals() public view override returns (uint8) {
        return _decimals;
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function setBlacklisted(address who, bool yes) external {
        blacklisted[who] = yes;
    }

    function setFee(uint256 bps, address collector) external {
        feeBps = bps;
        feeCollector = collector;
    }

    function setRefusing(bool yes) external {
        refusing = yes;
    }

    function transfer(address to, uint256 amount) public override returns (bool) {
        if (refusing) return false;
        return super.transfer(to, amount);
    }

    /// One transaction with a transfer to each of the addresses.
    function scatter(address[] calldata to, uint256 amount) external {
        for (uint256 i = 0; i < to.length; i++) _transfer(msg.sender, to[i], amount);
    }

    function _update(address from, address to, uint256 amount) internal override {
        require(!blacklisted[to] && !blacklisted[from], "TestToken: blacklisted");
        uint256 fee = (from == address(0) || feeCollector == address(0)) ? 0 : (amount * feeBps) / 10000;
        if (fee > 0) super._update(from, feeCollector, fee);
        super._update(from, to, amount - fee);
    }
}
