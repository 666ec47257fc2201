import solc from 'solc';
// The original code of Multicall3, which viem has without a name for it.
import { multicall3Bytecode } from '../../node_modules/viem/_esm/constants/contracts.js';

/** Contracts of the chain of the test, compiled by solc. */

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

contract Odd {
    string public symbol;
    mapping(address => uint256) internal held;
    event Transfer(address indexed from, address indexed to, uint256 value);
    constructor(string memory name) { symbol = name; }
    function balanceOf(address owner) public view virtual returns (uint256) { return held[owner]; }
    function move(address from, address to, uint256 value) internal virtual {
        if (from != address(0)) held[from] -= value;
        held[to] += value;
        emit Transfer(from, to, value);
    }
    function mint(address to, uint256 value) external { move(address(0), to, value); }
    function transfer(address to, uint256 value) external { move(msg.sender, to, value); }
    function pull(address from, address to, uint256 value) external { move(from, to, value); }
    function spread(address[] calldata to, uint256 value) external {
        for (uint256 i = 0; i < to.length; i++) move(msg.sender, to[i], value);
    }
}

contract Coin is Odd {
    uint8 public decimals;
    constructor(string memory name, uint8 places) Odd(name) { decimals = places; }
}

/// The receiver gets less than the event says.
contract Toll is Coin {
    constructor(string memory name) Coin(name, 18) {}
    function move(address from, address to, uint256 value) internal override {
        super.move(from, to, value);
        if (from != address(0)) held[to] -= value / 50;
    }
}

/// Balances grow without an event.
contract Tide is Coin {
    uint256 public level = 1e18;
    constructor(string memory name) Coin(name, 18) {}
    function balanceOf(address owner) public view override returns (uint256) {
        return held[owner] * level / 1e18;
    }
    function rise() external { level += level / 100; }
}

/// Events move nothing.
contract Bait is Coin {
    constructor(string memory name) Coin(name, 6) {}
    function move(address from, address to, uint256 value) internal override {
        emit Transfer(from, to, value);
    }
}

contract Deed {
    string public symbol = "DEED";
    mapping(uint256 => address) public ownerOf;
    mapping(address => uint256) public balanceOf;
    event Transfer(address indexed from, address indexed to, uint256 indexed id);
    function move(address from, address to, uint256 id) public {
        require(ownerOf[id] == from);
        ownerOf[id] = to;
        if (from != address(0)) balanceOf[from] -= 1;
        balanceOf[to] += 1;
        emit Transfer(from, to, id);
    }
}

contract Crate {
    mapping(address => mapping(uint256 => uint256)) internal held;
    event TransferSingle(address indexed by, address indexed from, address indexed to, uint256 id, uint256 value);
    event TransferBatch(address indexed by, address indexed from, address indexed to, uint256[] ids, uint256[] values);
    function balanceOf(address owner, uint256 id) external view returns (uint256) { return held[owner][id]; }
    function shift(address from, address to, uint256 id, uint256 value) internal {
        if (from != address(0)) held[from][id] -= value;
        held[to][id] += value;
    }
    function move(address from, address to, uint256 id, uint256 value) external {
        shift(from, to, id, value);
        emit TransferSingle(msg.sender, from, to, id, value);
    }
    function moveAll(address from, address to, uint256[] calldata ids, uint256[] calldata values) external {
        for (uint256 i = 0; i < ids.length; i++) shift(from, to, ids[i], values[i]);
        emit TransferBatch(msg.sender, from, to, ids, values);
    }
}

contract Bomb {
    constructor() payable {}
    receive() external payable {}
    function boom(address payable to) external { selfdestruct(to); }
}

contract Router {
    receive() external payable {}
    function pass(address to, uint256 value) internal { (bool done,) = to.call{value: value}(""); require(done); }
    function forward(address to) public payable { pass(to, msg.value); }
    function split(address[] calldata to) external payable {
        for (uint256 i = 0; i < to.length; i++) pass(to[i], msg.value / to.length);
    }
    function pay(address to, uint256 value) external { pass(to, value); }
    function failing(address to) external payable { pass(to, msg.value); revert("no"); }
    /// The first call fails with its own inner call; the second succeeds.
    function retry(Router other, address to) external payable {
        try other.failing{value: msg.value}(to) {} catch { pass(to, msg.value); }
    }
    function lend(Router code, address to) external payable {
        (bool done,) = address(code).delegatecall(abi.encodeCall(this.forward, (to)));
        require(done);
    }
    function explode(address payable to) external payable { new Bomb{value: msg.value}().boom(to); }
    function refill(address payable to) external payable { pass(to, msg.value); Bomb(to).boom(payable(msg.sender)); }
}
`;

/** Interfaces and code by the name of the contract. */
export function compiled() {
  const { contracts, errors = [] } = JSON.parse(
    solc.compile(
      JSON.stringify({
        language: 'Solidity',
        sources: { all: { content: SOURCE } },
        settings: {
          optimizer: { enabled: true },
          outputSelection: {
            '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] },
          },
        },
      }),
    ),
  );
  const wrong = errors.filter(({ severity }) => severity === 'error');
  if (wrong.length > 0) throw new Error(wrong.map((error) => error.formattedMessage).join('\n'));
  return Object.fromEntries(
    Object.entries(contracts.all).map(([name, { abi, evm }]) => [
      name,
      { abi, creation: `0x${evm.bytecode.object}`, code: `0x${evm.deployedBytecode.object}` },
    ]),
  );
}

/** The code of Multicall3 on a chain, without that of its creation. */
export const MULTICALL_CODE = `0x${/f3fe(.*)/.exec(multicall3Bytecode)[1]}`;
