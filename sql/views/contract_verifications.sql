-- Contract sources that were handed in for verification: one row per job.
--
-- example: SELECT contract_address, contract_name, compiler_version FROM contract_verifications
-- column: verification_guid | Name of the verification job
-- column: contract_address | Contract that is verified
-- column: contract_name | Name of the contract
-- column: code_format | Format of the source
-- column: compiler_version | Version of the compiler
-- column: optimization | 0 without optimization, 1 with it
-- column: optimization_runs | Runs of the optimizer
-- column: evm_version | EVM version; NULL for the compiler's default
-- column: license_type | License; NULL for none
-- column: via_ir | Compiled through the IR-based code generator
-- column: library_info | Libraries used, as JSON
-- column: contract_abi | ABI of the contract
-- column: source_code | Source of the contract
-- column: as_of_block | Head of the chain when it was handed in
CREATE VIEW contract_verifications AS
SELECT
  verification_guid, contract_address, contract_name, code_format, compiler_version, optimization,
  optimization_runs, evm_version, license_type, via_ir, library_info, contract_abi, source_code,
  as_of_block
FROM lake.contract_verifications;
