-- Contract sources that were handed in for verification: one row per submission.
--
-- example: SELECT contract_address, contract_name, submission_state FROM contract_verifications
-- column: submission_id | Digest of the submitted values, and the number of the attempt
-- column: submission_state | State: sent, accepted, unknown, succeeded or failed
-- column: verdict | Result of the job, as the service gives it; NULL until it is known
-- column: state_reason | Why the submission has this state
-- column: sent_time | When it was recorded, right before it was sent (UTC)
-- column: changed_time | When the state changed last (UTC)
-- column: verification_guid | Name of the verification job; NULL where no answer named it
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
  submission_id, submission_state, verdict, state_reason, sent_time, changed_time,
  verification_guid, contract_address, contract_name, code_format, compiler_version, optimization,
  optimization_runs, evm_version, license_type, via_ir, library_info, contract_abi, source_code,
  as_of_block
FROM lake.contract_verifications;
