import type { Exchange } from '../literal-exchange.ts';

/** E21. A body of JSON, flags and lists included; the answer is the GUID of the job alone. */
export const literal: Exchange = {
  endpoint: 'mainchain/contract/verify-source-code',
  records: {},
  target: '/api/v5/mainchain/contract/verify-source-code',
  body: {
    chainShortName: 'MAINCHAIN',
    contractAddress: '0xc2ead6796bdf0d1bb15cd3d42c997c1f95064345',
    contractName: 'Ledger',
    sourceCode: 'pragma solidity 0.8.19;\nlibrary Sums {}\ncontract Ledger {}\n',
    codeFormat: 'solidity-single-file',
    compilerVersion: 'v0.8.19+commit.7dd6d404',
    optimization: '1',
    optimizationRuns: '200',
    contractAbi: '[]',
    evmVersion: '',
    licenseType: 'MIT',
    viaIr: true,
    libraryInfo: [
      {
        libraryName: 'Sums',
        libraryAddress: '0xed3d4db0c47b9be02d426c48d3b93b4d8016a10b',
      },
    ],
  },
  response: { code: '0', msg: '', data: ['eb5c06099d7e4c8d8c5f7cd6d3a1e2f4'] },
};
