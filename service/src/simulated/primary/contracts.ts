/**
 * Contracts of the simulated chain with known sources, for verification. The code of each is the
 * output of the compiler for its source and settings.
 */
export interface SimulatedContract {
  readonly name: string;
  /** One Solidity file. */
  readonly source: string;
  readonly optimization: boolean;
  readonly optimizationRuns: number;
  readonly viaIr: boolean;
  /** '' for the compiler's default. */
  readonly evmVersion: string;
  /** The parts of the code that deployment fills in. */
  readonly holes: readonly Hole[];
  /** Hex without 0x, with zeros in the holes. */
  readonly code: string;
}

interface Hole {
  /** In bytes. */
  readonly start: number;
  readonly length: number;
  /** A number given at deployment, the contract's own address, or that of a contract by name. */
  readonly holds: 'capacity' | 'itself' | 'Bales';
}

/** The compiler of the code. */
export const SIMULATED_COMPILER = 'v0.8.37+commit.f401782d';

const CAPACITY = 5_000n;

/** The code at each of the addresses, hex with 0x, one contract after the other. */
export function deployedCode(addresses: readonly string[]): ReadonlyMap<string, string> {
  const placed = SIMULATED_CONTRACTS.flatMap((contract, nth): [string, SimulatedContract][] => {
    const address = addresses[nth];
    return address === undefined ? [] : [[address, contract]];
  });
  const addressOf = (name: string): bigint => {
    return BigInt(placed.find(([, contract]) => contract.name === name)?.[0] ?? 0);
  };
  return new Map(
    placed.map(([address, { holes, code }]) => {
      const bytes = Buffer.from(code, 'hex');
      for (const { start, length, holds } of holes) {
        const reference = holds === 'itself' ? BigInt(address) : addressOf(holds);
        const value = holds === 'capacity' ? CAPACITY : reference;
        bytes.write(value.toString(16).padStart(2 * length, '0'), start, 'hex');
      }
      return [address, `0x${bytes.toString('hex')}`];
    }),
  );
}

/** In the order of their addresses. */
export const SIMULATED_CONTRACTS: readonly SimulatedContract[] = [
  {
    name: 'Barn',
    source: `// SPDX-License-Identifier: MIT
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
`,
    optimization: true,
    optimizationRuns: 200,
    viaIr: false,
    evmVersion: '',
    holes: [],
    code: [
      '608060405234801561000f575f5ffd5b506004361061003f575f3560e01c80634fd9efc4146100435780636057',
      '361d14610058578063966080b81461006b575b5f5ffd5b6100566100513660046100e0565b61009c565b005b61',
      '00566100663660046100e0565b6100c2565b61008a6100793660046100f7565b5f602081905290815260409020',
      '5481565b60405190815260200160405180910390f35b335f90815260208190526040812080548392906100ba90',
      '8490610138565b909155505050565b335f90815260208190526040812080548392906100ba908490610151565b',
      '5f602082840312156100f0575f5ffd5b5035919050565b5f60208284031215610107575f5ffd5b813560016001',
      '60a01b038116811461011d575f5ffd5b9392505050565b634e487b7160e01b5f52601160045260245ffd5b8181',
      '038181111561014b5761014b610124565b92915050565b8082018082111561014b5761014b61012456fea26469',
      '7066735822122069ccd7ca8782fff5e511047d6e19ebe9578c6ce49340739a18e070e83d31eef764736f6c6343',
      '0008250033',
    ].join(''),
  },
  {
    name: 'Silo',
    source: `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// Holds as much as it was built for.
contract Silo {
    uint256 public immutable capacity;
    uint256 public stored;

    constructor(uint256 built) {
        capacity = built;
    }

    function fill(uint256 amount) external {
        require(stored + amount <= capacity);
        stored += amount;
    }
}
`,
    optimization: false,
    optimizationRuns: 200,
    viaIr: false,
    evmVersion: '',
    holes: [
      { start: 157, length: 32, holds: 'capacity' },
      { start: 239, length: 32, holds: 'capacity' },
    ],
    code: [
      '608060405234801561000f575f5ffd5b506004361061003f575f3560e01c80633fda5389146100435780635cfc',
      '1a511461005f578063e582dd311461007d575b5f5ffd5b61005d6004803603810190610058919061014d565b61',
      '009b565b005b6100676100ed565b6040516100749190610187565b60405180910390f35b610085610111565b60',
      '40516100929190610187565b60405180910390f35b7f0000000000000000000000000000000000000000000000',
      '000000000000000000815f546100c991906101cd565b11156100d3575f5ffd5b805f5f8282546100e391906101',
      'cd565b9250508190555050565b7f00000000000000000000000000000000000000000000000000000000000000',
      '0081565b5f5481565b5f5ffd5b5f819050919050565b61012c8161011a565b8114610136575f5ffd5b50565b5f',
      '8135905061014781610123565b92915050565b5f6020828403121561016257610161610116565b5b5f61016f84',
      '828501610139565b91505092915050565b6101818161011a565b82525050565b5f60208201905061019a5f8301',
      '84610178565b92915050565b7f4e487b7100000000000000000000000000000000000000000000000000000000',
      '5f52601160045260245ffd5b5f6101d78261011a565b91506101e28361011a565b925082820190508082111561',
      '01fa576101f96101a0565b5b9291505056fea26469706673582212207ba8c11694d0f1b7401aa7e6bcf2226412',
      'd169d9edcbeb37ba6d18d6973fd26564736f6c63430008250033',
    ].join(''),
  },
  {
    name: 'Bales',
    source: `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

library Bales {
    function weight(uint256 bales) external pure returns (uint256) {
        return bales * 450;
    }
}
`,
    optimization: true,
    optimizationRuns: 200,
    viaIr: false,
    evmVersion: '',
    holes: [{ start: 1, length: 20, holds: 'itself' }],
    code: [
      '73000000000000000000000000000000000000000030146080604052600436106032575f3560e01c8063f8e27f',
      '93146036575b5f5ffd5b604560413660046068565b6057565b60405190815260200160405180910390f35b5f60',
      '62826101c2607e565b92915050565b5f602082840312156077575f5ffd5b5035919050565b8082028115828204',
      '841417606257634e487b7160e01b5f52601160045260245ffdfea2646970667358221220706fe6ecd16391b48b',
      'b6991229e97287cffe2d02cb1b9e65800c12bcde34639f64736f6c63430008250033',
    ].join(''),
  },
  {
    name: 'Wagon',
    source: `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

library Bales {
    function weight(uint256 bales) external pure returns (uint256) {
        return bales * 450;
    }
}

/// Carries bales, and lets a library weigh them.
contract Wagon {
    uint256 public load;

    function add(uint256 bales) external {
        load += Bales.weight(bales);
    }
}
`,
    optimization: true,
    optimizationRuns: 1000,
    viaIr: true,
    evmVersion: 'paris',
    holes: [{ start: 156, length: 20, holds: 'Bales' }],
    code: [
      '608080604052600436101561001357600080fd5b60003560e01c9081631003e2d21461005857506386d5c4be14',
      '61003557600080fd5b34610053576000366003190112610053576020600054604051908152f35b600080fd5b34',
      '610053576020366003190112610053577ff8e27f93000000000000000000000000000000000000000000000000',
      '00000000815260043560048201526020816024817300000000000000000000000000000000000000005af49081',
      '15610148576000916100e9575b506000549081018091116100d357600055005b634e487b7160e01b6000526011',
      '60045260246000fd5b9060203d602011610141575b601f8101601f1916830167ffffffffffffffff8111848210',
      '1761012d5760209184916040528101031261012a575051816100c0565b80fd5b602483634e487b7160e01b8152',
      '6041600452fd5b503d6100f5565b6040513d6000823e3d90fdfea2646970667358221220be0441f8d4938d97aa',
      'c108eda9d7b99ac98376421f3956f03174473ff546d6b664736f6c63430008250033',
    ].join(''),
  },
];
