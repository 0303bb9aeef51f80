// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

// The tokens of the fake: written for it, with the habits of USDT on Tron and of its kin. tokens.json has the byte code; the README
// says how it is compiled.

// Tether has the habits of USDT on Tron: a list of blocked senders, a pause, a fee taken from the amount, and a transfer that is
// declared to return a bool and returns false when it has worked.
contract Tether {
    string public constant name = "Tether USD";
    string public constant symbol = "USDT";
    uint8 public constant decimals = 6;
    uint256 public totalSupply;
    address public owner;
    bool public paused;
    bool public deprecated;
    uint256 public basisPointsRate;
    uint256 public maximumFee;
    mapping(address => uint256) internal balances;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => bool) public isBlackListed;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);
    event AddedBlackList(address indexed _user);
    event RemovedBlackList(address indexed _user);
    event DestroyedBlackFunds(address indexed _blackListedUser, uint256 _balance);
    event Pause();
    event Unpause();
    event Params(uint256 feeBasisPoints, uint256 maxFee);
    event Issue(uint256 amount);

    modifier onlyOwner() {
        require(msg.sender == owner);
        _;
    }

    function balanceOf(address who) public view returns (uint256) {
        return balances[who];
    }

    function getOwner() public view returns (address) {
        return owner;
    }

    function transfer(address to, uint256 value) public returns (bool) {
        require(!paused);
        require(!isBlackListed[msg.sender]);
        require(to != address(0));
        move(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) public returns (bool) {
        require(!paused);
        require(!isBlackListed[from]);
        require(to != address(0));
        if (allowance[from][msg.sender] < type(uint256).max) {
            allowance[from][msg.sender] -= value;
        }
        move(from, to, value);
        return true;
    }

    function approve(address spender, uint256 value) public returns (bool) {
        require(!paused);
        require(value == 0 || allowance[msg.sender][spender] == 0);
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function calcFee(uint256 value) public view returns (uint256 fee) {
        fee = (value * basisPointsRate) / 10000;
        if (fee > maximumFee) {
            fee = maximumFee;
        }
    }

    function move(address from, address to, uint256 value) internal {
        uint256 fee = calcFee(value);
        balances[from] -= value;
        balances[to] += value - fee;
        emit Transfer(from, to, value - fee);
        if (fee > 0) {
            balances[owner] += fee;
            emit Transfer(from, owner, fee);
        }
    }

    // The first caller becomes the owner: the fake calls it in its first block.
    function found(uint256 amount) public {
        require(owner == address(0));
        owner = msg.sender;
        issue(amount);
    }

    function issue(uint256 amount) public onlyOwner {
        balances[owner] += amount;
        totalSupply += amount;
        emit Issue(amount);
        emit Transfer(address(0), owner, amount);
    }

    function addBlackList(address who) public onlyOwner {
        isBlackListed[who] = true;
        emit AddedBlackList(who);
    }

    function removeBlackList(address who) public onlyOwner {
        isBlackListed[who] = false;
        emit RemovedBlackList(who);
    }

    function getBlackListStatus(address who) public view returns (bool) {
        return isBlackListed[who];
    }

    function destroyBlackFunds(address who) public onlyOwner {
        require(isBlackListed[who]);
        uint256 funds = balances[who];
        balances[who] = 0;
        totalSupply -= funds;
        emit DestroyedBlackFunds(who, funds);
    }

    function pause() public onlyOwner {
        paused = true;
        emit Pause();
    }

    function unpause() public onlyOwner {
        paused = false;
        emit Unpause();
    }

    function setParams(uint256 newBasisPoints, uint256 newMaxFee) public onlyOwner {
        require(newBasisPoints < 20 && newMaxFee < 50);
        basisPointsRate = newBasisPoints;
        maximumFee = newMaxFee * 10 ** decimals;
        emit Params(basisPointsRate, maximumFee);
    }

    // Assert fails as old contracts do: all the energy of the call is spent.
    function waste() public pure {
        assembly {
            invalid()
        }
    }
}

// Silent is a token of the early kind: transfer returns nothing at all. It has no blocked senders, no pause and no fee.
contract Silent {
    string public constant name = "Silent Dollar";
    string public constant symbol = "SILENT";
    uint8 public constant decimals = 6;
    uint256 public totalSupply;
    address public owner;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function found(uint256 amount) public {
        require(owner == address(0));
        owner = msg.sender;
        balanceOf[owner] = amount;
        totalSupply = amount;
        emit Transfer(address(0), owner, amount);
    }

    function transfer(address to, uint256 value) public {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
    }
}
