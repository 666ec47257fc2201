-- Whether complete blocks are among those over which nodes agree with a ledger.
CREATE MACRO is_reconciled(status, first_block, last_block, agreed_from, agreed_to) AS coalesce(
  status = 'complete' AND first_block >= agreed_from AND last_block <= agreed_to,
  false
);
