-- The status of a transaction in the one vocabulary of the views: success, fail or pending. Records
-- of the zone chain and of cross-chain transfers say 0x1 and 0x0; other texts stay as they are.
CREATE MACRO status_word(served) AS
  CASE served WHEN '0x1' THEN 'success' WHEN '0x0' THEN 'fail' ELSE served END;
